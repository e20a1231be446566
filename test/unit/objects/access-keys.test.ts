/** The keys of an endpoint open its buckets and nothing else, with the SDK's client. */
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holderLookup, keysOf, type KnownOwner } from "../../../emulator/objects/access-keys.ts";
import { put, textAt } from "../../contract/objects/subject.ts";
import { CREDENTIALS, s3Harness, type S3Harness } from "./s3-harness.ts";

const CREATED = "2026-01-01T00:00:00.000Z";

let owners: Map<string, KnownOwner>;
let s3: S3Harness;
let client: S3Client;

beforeEach(async () => {
  owners = new Map();
  s3 = await s3Harness({ ownerOf: (id) => owners.get(id) });
  for (const name of ["a", "b", "shared"]) {
    s3.store.createBucket(name);
    await put(s3.store.bucket(name), "key", `of ${name}`);
  }
  for (const id of ["a", "b"]) {
    owners.set(id, { id, createdAt: CREATED, otherBuckets: id === "a" ? ["shared", "gone"] : [] });
  }
  client = clientOf("a");
});
afterEach(async () => s3[Symbol.asyncDispose]());

function clientOf(id: string, createdAt = CREATED): S3Client {
  return s3.clientWith({ credentials: keysOf(CREDENTIALS, { id, createdAt }) });
}

const refused = (code: string): unknown =>
  expect.objectContaining({
    name: code,
    $metadata: expect.objectContaining({ httpStatusCode: 403 }),
  });

describe("the keys of an endpoint", () => {
  it.each(["a", "shared"])("are valid for its bucket and for its volume: %s", async (Bucket) => {
    await client.send(new PutObjectCommand({ Bucket, Key: "new", Body: "x" }));
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: "new" }));
    expect(await Body?.transformToString()).toBe("x");
    const source = { CopySource: `${Bucket}/new`, Bucket: "a", Key: "copy" };
    await client.send(new CopyObjectCommand(source));
    expect(await textAt(s3.store.bucket("a"), "copy")).toBe("x");
  });

  it("are refused for the bucket of another endpoint in every request, and in the same way for a missing bucket", async () => {
    const at = { Bucket: "b", Key: "key" };
    const upload = await s3.store.bucket("b").uploads.create("key", { headers: {}, metadata: {} });
    const part = { ...at, UploadId: upload.id, PartNumber: 1 };
    const asks = [
      client.send(new GetObjectCommand(at)),
      client.send(new PutObjectCommand({ ...at, Body: "by a" })),
      client.send(new DeleteObjectCommand(at)),
      client.send(new DeleteObjectsCommand({ ...at, Delete: { Objects: [{ Key: "key" }] } })),
      client.send(new ListObjectsCommand(at)),
      client.send(new ListObjectsV2Command(at)),
      client.send(new ListMultipartUploadsCommand(at)),
      client.send(new ListPartsCommand(part)),
      client.send(new CreateMultipartUploadCommand(at)),
      client.send(new UploadPartCommand({ ...part, Body: "by a" })),
      client.send(new AbortMultipartUploadCommand(part)),
      client.send(new GetBucketLocationCommand(at)),
      client.send(new DeleteBucketCommand(at)),
      client.send(new CreateBucketCommand({ Bucket: "bucket-of-mine" })),
      client.send(new GetObjectCommand({ ...at, Bucket: "not-there" })),
    ];
    await Promise.all(
      asks.map(async (ask) => expect(ask).rejects.toEqual(refused("AccessDenied"))),
    );
    // A HEAD's answer has no body with the reason.
    for (const ask of [new HeadBucketCommand(at), new HeadObjectCommand(at)]) {
      const answer = client.send(ask as HeadObjectCommand);
      await expect(answer).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    }
    expect(await textAt(s3.store.bucket("b"), "key")).toBe("of b");
    expect(s3.store.buckets().map(({ name }) => name)).toContain("b");
    expect(await s3.store.bucket("b").uploads.list()).toHaveLength(1);
  });

  it("cannot copy out of another endpoint's bucket, or into it", async () => {
    const own = { Bucket: "a", Key: "stolen" };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(own));
    const part = { ...own, UploadId, PartNumber: 1, CopySource: "b/key" };
    const asks = [
      client.send(new CopyObjectCommand({ ...own, CopySource: "b/key" })),
      client.send(new UploadPartCopyCommand(part)),
      client.send(new CopyObjectCommand({ Bucket: "b", Key: "key", CopySource: "a/key" })),
    ];
    await Promise.all(
      asks.map(async (ask) => expect(ask).rejects.toEqual(refused("AccessDenied"))),
    );
    expect(await textAt(s3.store.bucket("b"), "key")).toBe("of b");
  });

  it("list the buckets of their endpoint only", async () => {
    const names = async (of: S3Client) =>
      (await of.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name) ?? [];
    expect(await names(client)).toEqual(["a", "shared"]);
    expect(await names(clientOf("b"))).toEqual(["b"]);
    expect(await names(s3.client)).toEqual(["a", "b", "bucket", "shared"]);
  });

  it("presign addresses for their buckets, and for no other", async () => {
    const sign = async (Bucket: string) =>
      getSignedUrl(client, new GetObjectCommand({ Bucket, Key: "key" }), { expiresIn: 604_800 });
    const [own, other] = [await sign("a"), await sign("b")];
    expect(await (await fetch(own)).text()).toBe("of a");
    const answer = await fetch(other);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining("<Code>AccessDenied</Code>"),
    ]);
    s3.clock.offsetMs = 604_000_000;
    expect((await fetch(own)).status).toBe(200);
  });

  it("and presigned addresses are invalid once the endpoint is deleted, also for a later endpoint of its name", async () => {
    const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: "a", Key: "key" }));
    const get = async () => client.send(new GetObjectCommand({ Bucket: "a", Key: "key" }));
    await get();
    owners.delete("a");
    await expect(get()).rejects.toEqual(refused("InvalidAccessKeyId"));
    expect((await fetch(url)).status).toBe(403);
    const later = "2026-02-01T00:00:00.000Z";
    owners.set("a", { id: "a", createdAt: later, otherBuckets: [] });
    await expect(get()).rejects.toEqual(refused("SignatureDoesNotMatch"));
    const { Body } = await clientOf("a", later).send(
      new GetObjectCommand({ Bucket: "a", Key: "key" }),
    );
    expect(await Body?.transformToString()).toBe("of a");
  });

  it("lose a volume that their endpoint loses", async () => {
    owners.set("a", { id: "a", createdAt: CREATED, otherBuckets: [] });
    const ask = client.send(new GetObjectCommand({ Bucket: "shared", Key: "key" }));
    await expect(ask).rejects.toEqual(refused("AccessDenied"));
  });

  it("recreate their endpoint's bucket if it is gone", async () => {
    await client.send(new DeleteObjectCommand({ Bucket: "a", Key: "key" }));
    await client.send(new DeleteBucketCommand({ Bucket: "a" }));
    await client.send(new CreateBucketCommand({ Bucket: "gone" }));
    expect(s3.store.buckets().map(({ name }) => name)).toEqual(["b", "bucket", "gone", "shared"]);
  });
});

it("the keys of an endpoint are always the same, and differ for each endpoint and each store", () => {
  const owner = { id: "a", createdAt: CREATED };
  const keys = keysOf(CREDENTIALS, owner);
  expect(keysOf(CREDENTIALS, { ...owner })).toEqual(keys);
  const others = [
    keysOf(CREDENTIALS, { ...owner, id: "b" }),
    keysOf(CREDENTIALS, { ...owner, createdAt: "" }),
    keysOf({ ...CREDENTIALS, secretAccessKey: "another" }, owner),
  ];
  const secrets = [keys, ...others].map(({ secretAccessKey }) => secretAccessKey);
  expect(new Set(secrets).size).toBe(4);
});

it("an invalid key belongs to no endpoint", () => {
  const holderOf = holderLookup(CREDENTIALS, (id) => owners.get(id));
  for (const id of ["", "SV-", "SV-none", "sv-a", "a", `${CREDENTIALS.accessKeyId}x`]) {
    expect([id, holderOf(id)]).toEqual([id, undefined]);
  }
  expect(holderOf(CREDENTIALS.accessKeyId)).toEqual({
    secretAccessKey: CREDENTIALS.secretAccessKey,
  });
});
