/** Multipart uploads over HTTP, by the SDK's commands and by its own Upload. */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { pattern } from "../../contract/objects/subject.ts";
import { BUCKET, type S3Harness, s3Harness } from "./s3-harness.ts";
import { signedFetch } from "./signed-fetch.ts";

const PART_BYTES = 5_242_880;
const big = pattern(PART_BYTES);

async function begun(s3: S3Harness, Key: string, more = {}): Promise<string> {
  const command = new CreateMultipartUploadCommand({ Bucket: BUCKET, Key, ...more });
  return (await s3.client.send(command)).UploadId ?? "";
}

async function part(
  s3: S3Harness,
  Key: string,
  UploadId: string,
  PartNumber: number,
  Body: Uint8Array,
) {
  const ask = { Bucket: BUCKET, Key, UploadId, PartNumber, Body };
  const { ETag = "" } = await s3.client.send(new UploadPartCommand(ask));
  return { PartNumber, ETag };
}

function completion(Key: string, UploadId: string, Parts: readonly CompletedPart[]) {
  const MultipartUpload = { Parts: [...Parts] };
  return new CompleteMultipartUploadCommand({ Bucket: BUCKET, Key, UploadId, MultipartUpload });
}

async function digestAt({ client }: S3Harness, Key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
  return digest((await Body?.transformToByteArray()) ?? Buffer.alloc(0));
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe("the SDK's own Upload", () => {
  it("uploads a stream in parts, and their checksums are kept", async () => {
    await using s3 = await s3Harness();
    const pieces = Array.from({ length: 23 }, (_, seed) => pattern(700_000, seed));
    const upload = new Upload({
      client: s3.client,
      params: { Bucket: BUCKET, Key: "a", Body: Readable.from(pieces), Metadata: { x: "y" } },
    });
    const done = await upload.done();
    expect(done.ETag).toMatch(/^"[0-9a-f]{32}-4"$/);
    expect(done.ChecksumCRC32).toMatch(/-4$/);
    expect(await digestAt(s3, "a")).toBe(digest(Buffer.concat(pieces)));
    const head = new HeadObjectCommand({ Bucket: BUCKET, Key: "a", ChecksumMode: "ENABLED" });
    expect(await s3.client.send(head)).toMatchObject({
      ETag: done.ETag,
      ChecksumCRC32: done.ChecksumCRC32,
      ChecksumType: "COMPOSITE",
      Metadata: { x: "y" },
    });
  });

  it("that is aborted leaves no upload open", async () => {
    await using s3 = await s3Harness();
    const begins = Promise.withResolvers<Upload>();
    async function* abortingHalfway() {
      yield big;
      yield big;
      await (await begins.promise).abort();
      yield big;
    }
    const Body = Readable.from(abortingHalfway());
    const upload = new Upload({ client: s3.client, params: { Bucket: BUCKET, Key: "a", Body } });
    begins.resolve(upload);
    await expect(upload.done()).rejects.toHaveProperty("name", "AbortError");
    const open = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    expect(open.Uploads).toBeUndefined();
  });
});

describe("uploads", () => {
  it("list their parts page by page", async () => {
    await using s3 = await s3Harness();
    const id = await begun(s3, "a b");
    for (const number of [3, 1, 2]) await part(s3, "a b", id, number, pattern(number * 10));
    const ask = { Bucket: BUCKET, Key: "a b", UploadId: id };
    const first = await s3.client.send(new ListPartsCommand({ ...ask, MaxParts: 2 }));
    expect(first).toMatchObject({
      IsTruncated: true,
      NextPartNumberMarker: "2",
      Parts: [
        { PartNumber: 1, Size: 10 },
        { PartNumber: 2, Size: 20 },
      ],
    });
    const rest = new ListPartsCommand({ ...ask, PartNumberMarker: first.NextPartNumberMarker });
    expect(await s3.client.send(rest)).toMatchObject({
      IsTruncated: false,
      Parts: [{ PartNumber: 3, Size: 30 }],
    });
  });

  it("are listed page by page while they are open, even several with the same key", async () => {
    await using s3 = await s3Harness();
    const wanted: string[] = [];
    for (const key of ["a", "b/1", "b/1", "b/2", "c"]) wanted.push(await begun(s3, key));
    const found: string[] = [];
    let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const page = await s3.client.send(
        new ListMultipartUploadsCommand({ Bucket: BUCKET, MaxUploads: 2, ...marker }),
      );
      found.push(...(page.Uploads ?? []).map(({ UploadId = "" }) => UploadId));
      if (page.IsTruncated !== true) break;
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
    expect(found.toSorted()).toEqual(wanted.toSorted());
    const rolled = await s3.client.send(
      new ListMultipartUploadsCommand({ Bucket: BUCKET, Delimiter: "/" }),
    );
    expect(rolled.Uploads?.map(({ Key }) => Key)).toEqual(["a", "c"]);
    expect(rolled.CommonPrefixes).toEqual([{ Prefix: "b/" }]);
    const behind = new ListMultipartUploadsCommand({ Bucket: BUCKET, KeyMarker: "b/1" });
    const { Uploads } = await s3.client.send(behind);
    expect(Uploads?.map(({ Key }) => Key)).toEqual(["b/2", "c"]);
  });

  it("can be aborted, once", async () => {
    await using s3 = await s3Harness();
    const UploadId = await begun(s3, "a");
    const abort = new AbortMultipartUploadCommand({ Bucket: BUCKET, Key: "a", UploadId });
    await s3.client.send(abort);
    await expect(s3.client.send(abort)).rejects.toHaveProperty("name", "NoSuchUpload");
    const late = part(s3, "a", UploadId, 1, Buffer.from("x"));
    await expect(late).rejects.toHaveProperty("name", "NoSuchUpload");
  });

  it("accept parts of other objects", async () => {
    await using s3 = await s3Harness();
    await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "source/ü", Body: big }));
    const UploadId = await begun(s3, "a");
    const copy = (PartNumber: number, CopySourceRange?: string) =>
      s3.client.send(
        new UploadPartCopyCommand({
          Bucket: BUCKET,
          Key: "a",
          UploadId,
          PartNumber,
          CopySource: `/${BUCKET}/source/${encodeURIComponent("ü")}`,
          CopySourceRange,
        }),
      );
    const whole = await copy(1);
    const some = await copy(2, "bytes=10-19");
    await expect(copy(3, "bytes=0-99999999")).rejects.toHaveProperty("name", "InvalidArgument");
    const parts = [whole, some].map(({ CopyPartResult }, index) => ({
      PartNumber: index + 1,
      ETag: CopyPartResult?.ETag,
    }));
    await s3.client.send(completion("a", UploadId, parts));
    expect(await digestAt(s3, "a")).toBe(digest(Buffer.concat([big, big.subarray(10, 20)])));
  });
});

describe("the completion of an upload", () => {
  it("has the same answer when it is repeated, for example after a lost answer", async () => {
    await using s3 = await s3Harness();
    const id = await begun(s3, "a");
    const parts = [await part(s3, "a", id, 1, Buffer.from("x"))];
    const first = await s3.client.send(completion("a", id, parts));
    const second = await s3.client.send(completion("a", id, parts));
    expect(second).toMatchObject({ ETag: first.ETag, Location: first.Location });
    await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body: "new" }));
    const third = s3.client.send(completion("a", id, parts));
    await expect(third).rejects.toHaveProperty("name", "NoSuchUpload");
  });

  it("refuses parts that are too small, unknown, changed or out of order, and keeps the upload", async () => {
    await using s3 = await s3Harness();
    const id = await begun(s3, "a");
    const one = await part(s3, "a", id, 1, big);
    const two = await part(s3, "a", id, 2, Buffer.from("small"));
    const three = await part(s3, "a", id, 3, Buffer.from("last"));
    const cases: readonly (readonly [string, readonly CompletedPart[]])[] = [
      ["EntityTooSmall", [one, two, three]],
      ["InvalidPart", [one, { PartNumber: 9, ETag: three.ETag }]],
      ["InvalidPart", [one, { PartNumber: 3, ETag: two.ETag }]],
      ["InvalidPartOrder", [three, one]],
      ["InvalidPartOrder", [one, one]],
      ["MalformedXML", []],
      ["InvalidPart", [{ ...one, ChecksumCRC32: "AAAAAA==" }]],
    ];
    for (const [name, parts] of cases) {
      const completing = s3.client.send(completion("a", id, parts));
      await expect(completing, name).rejects.toHaveProperty("name", name);
    }
    await s3.client.send(completion("a", id, [one, three]));
    expect(await digestAt(s3, "a")).toBe(digest(Buffer.concat([big, Buffer.from("last")])));
  });

  it("compares the checksum of the whole object, if one is given", async () => {
    await using s3 = await s3Harness();
    const kind = { ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" } as const;
    const id = await begun(s3, "a", kind);
    const parts = [
      await part(s3, "a", id, 1, big),
      await part(s3, "a", id, 2, Buffer.from("123456789")),
    ];
    const wrong = completion("a", id, parts);
    wrong.input.ChecksumCRC32 = "AAAAAA==";
    await expect(s3.client.send(wrong)).rejects.toHaveProperty("name", "BadDigest");
    const right = await s3.client.send(completion("a", id, parts));
    expect(right.ChecksumType).toBe("FULL_OBJECT");
    const whole = new PutObjectCommand({
      Bucket: BUCKET,
      Key: "b",
      Body: Buffer.concat([big, Buffer.from("123456789")]),
    });
    expect((await s3.client.send(whole)).ChecksumCRC32).toBe(right.ChecksumCRC32);
  });

  it("can require that there is no object yet", async () => {
    await using s3 = await s3Harness();
    const id = await begun(s3, "a");
    const parts = [await part(s3, "a", id, 1, Buffer.from("x"))];
    await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body: "first" }));
    const command = completion("a", id, parts);
    command.input.IfNoneMatch = "*";
    await expect(s3.client.send(command)).rejects.toHaveProperty("name", "PreconditionFailed");
  });
});

it.each(["0", "10001", "-1", "one", ""])("refuses the part number %j", async (partNumber) => {
  await using s3 = await s3Harness();
  const uploadId = await begun(s3, "a");
  const answer = await signedFetch(s3, {
    method: "PUT",
    path: `/${BUCKET}/a`,
    query: { partNumber, uploadId },
    body: Buffer.from("x"),
  });
  expect(answer).toMatchObject({ status: 400, code: "InvalidArgument" });
});
