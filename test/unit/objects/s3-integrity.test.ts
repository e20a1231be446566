/** The sent content is stored, or nothing: checksums, digests, lengths and framings. */
import {
  type ChecksumAlgorithm,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { Signer } from "../../../emulator/objects/signature/signer.ts";
import { BUCKET, CREDENTIALS, type S3Harness, s3Harness } from "./s3-harness.ts";
import { type RawAsk, signedFetch, signedRequest } from "./signed-fetch.ts";

const ALGORITHMS: readonly ChecksumAlgorithm[] = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"];

/** Published checksums of "123456789". */
const CHECKS: Readonly<Record<string, string>> = {
  CRC32: Buffer.from("cbf43926", "hex").toString("base64"),
  CRC32C: Buffer.from("e3069283", "hex").toString("base64"),
  CRC64NVME: Buffer.from("ae8b14860a799888", "hex").toString("base64"),
  SHA1: createHash("sha1").update("123456789").digest("base64"),
  SHA256: createHash("sha256").update("123456789").digest("base64"),
};

const path = `/${BUCKET}/a`;

async function isThere(s3: S3Harness): Promise<boolean> {
  return (await signedFetch(s3, { path })).status === 200;
}

/** Expects that a put is refused with this code, and leaves no object. */
async function expectRefused(s3: S3Harness, ask: Partial<RawAsk>, code: string): Promise<void> {
  const answer = await signedFetch(s3, {
    method: "PUT",
    path,
    body: Buffer.from("123456789"),
    ...ask,
  });
  expect(answer).toMatchObject({ status: 400, code });
  expect(await isThere(s3)).toBe(false);
}

describe.each(ALGORITHMS)("the checksum %s", (algorithm) => {
  const header = `x-amz-checksum-${algorithm.toLowerCase()}`;

  it("is checked, stored and returned, from memory and from a stream", async () => {
    await using s3 = await s3Harness();
    const bodies = [
      Buffer.from("123456789"),
      Readable.from([Buffer.from("1234"), Buffer.from("56789")]),
    ];
    for (const Body of bodies) {
      const put = new PutObjectCommand({
        Bucket: BUCKET,
        Key: "a",
        Body,
        ContentLength: 9,
        ChecksumAlgorithm: algorithm,
      });
      expect(await s3.client.send(put)).toMatchObject({
        [`Checksum${algorithm}`]: CHECKS[algorithm],
      });
      const get = new GetObjectCommand({ Bucket: BUCKET, Key: "a" });
      const got = await s3.client.send(get);
      expect(await got.Body?.transformToString()).toBe("123456789");
      expect(got).toMatchObject({ [`Checksum${algorithm}`]: CHECKS[algorithm] });
    }
  });

  it("refuses the object if it does not match, whether it comes before or after the content", async () => {
    await using s3 = await s3Harness();
    const wrong = `A${(CHECKS[algorithm] ?? "").slice(1)}`;
    await expectRefused(s3, { headers: { [header]: wrong } }, "BadDigest");
    await expectRefused(s3, trailing(header, wrong), "BadDigest");
    await expectRefused(s3, trailing(header, ""), "BadDigest");
    await expectRefused(
      s3,
      { ...trailing(header, ""), body: Buffer.from("9\r\n123456789\r\n0\r\n\r\n") },
      "BadDigest",
    );
    const right = trailing(header, CHECKS[algorithm] ?? "");
    expect(await signedFetch(s3, { method: "PUT", path, ...right })).toMatchObject({ status: 200 });
  });
});

function trailing(header: string, value: string): Partial<RawAsk> {
  return {
    headers: {
      "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      "x-amz-decoded-content-length": "9",
      "x-amz-trailer": header,
      "content-encoding": "aws-chunked",
    },
    body: Buffer.from(`4\r\n1234\r\n5\r\n56789\r\n0\r\n${header}:${value}\r\n\r\n`),
  };
}

it("no checksum is sent with a range of an object, or without a request for it", async () => {
  await using s3 = await s3Harness();
  await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body: "123456789" }));
  const asked = { "x-amz-checksum-mode": "ENABLED" };
  const headers = async (more: Record<string, string>) =>
    (await signedFetch(s3, { path, headers: more })).headers;
  expect((await headers(asked)).get("x-amz-checksum-crc32")).toBe(CHECKS["CRC32"]);
  expect((await headers({ ...asked, range: "bytes=0-1" })).get("x-amz-checksum-crc32")).toBeNull();
  expect((await headers({})).get("x-amz-checksum-crc32")).toBeNull();
  const head = await s3.client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "a" }));
  expect(head.ChecksumCRC32).toBeUndefined();
});

it("a body that differs from the signed one is refused", async () => {
  await using s3 = await s3Harness();
  const sha256 = createHash("sha256").update("another body").digest("hex");
  await expectRefused(
    s3,
    { headers: { "x-amz-content-sha256": sha256 } },
    "XAmzContentSHA256Mismatch",
  );
});

it("a body that does not match its MD5 is refused, and so is an invalid MD5", async () => {
  await using s3 = await s3Harness();
  const md5 = createHash("md5").update("another body").digest("base64");
  await expectRefused(s3, { headers: { "content-md5": md5 } }, "BadDigest");
  await expectRefused(s3, { headers: { "content-md5": "abc" } }, "InvalidDigest");
  const right = createHash("md5").update("123456789").digest("base64");
  const headers = { "content-md5": right };
  expect((await signedFetch(s3, { method: "PUT", path, headers, body: "123456789" })).status).toBe(
    200,
  );
});

it.each([
  [{ "x-amz-checksum-crc32": "AAAAAA==", "x-amz-checksum-sha1": "x" }, "InvalidRequest"],
  [{ "x-amz-checksum-md4": "AAAAAA==" }, "InvalidRequest"],
  [{ "x-amz-content-sha256": "no digest" }, "InvalidArgument"],
  [
    {
      "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      "x-amz-decoded-content-length": "8",
    },
    "IncompleteBody",
  ],
])("an object with the headers %j is refused", async (headers, code) => {
  await using s3 = await s3Harness();
  await expectRefused(s3, { headers }, code);
});

it("unknown kinds of bodies are answered as not implemented", async () => {
  await using s3 = await s3Harness();
  const headers = { "x-amz-content-sha256": "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD" };
  const answer = await signedFetch(s3, { method: "PUT", path, headers, body: "x" });
  expect(answer).toMatchObject({ status: 501, code: "NotImplemented" });
});

it("an object without a length is refused, and a too large object before its content arrives", async () => {
  await using s3 = await s3Harness();
  const chunked = { "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER" };
  const missing = await signedFetch(s3, {
    method: "PUT",
    path,
    headers: chunked,
    body: "0\r\n\r\n",
  });
  expect(missing).toMatchObject({ status: 411, code: "MissingContentLength" });
  const large = { ...chunked, "x-amz-decoded-content-length": String(5 * 1_024 ** 3 + 1) };
  const tooLarge = await signedFetch(s3, {
    method: "PUT",
    path,
    headers: large,
    body: "0\r\n\r\n",
  });
  expect(tooLarge).toMatchObject({ status: 400, code: "EntityTooLarge" });
});

it("metadata of more than 2 KB is refused, and a key of more than 1,024 bytes", async () => {
  await using s3 = await s3Harness();
  const headers = { "x-amz-meta-x": "x".repeat(2_048) };
  const large = await signedFetch(s3, { method: "PUT", path, headers, body: "x" });
  expect(large).toMatchObject({ status: 400, code: "MetadataTooLarge" });
  const long = await signedFetch(s3, { path: `/${BUCKET}/${"ü".repeat(513)}` });
  expect(long).toMatchObject({ status: 400, code: "KeyTooLongError" });
});

describe("a body in signed chunks", () => {
  const chunks = ["x".repeat(70_000), "y".repeat(3)];

  async function putChunked(s3: S3Harness, change: (body: string) => string) {
    const ask: RawAsk = {
      method: "PUT",
      path,
      headers: {
        "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "x-amz-decoded-content-length": String(chunks.join("").length),
        "content-encoding": "aws-chunked, x-own",
      },
    };
    const request = await signedRequest(s3, { ...ask, body: "x" });
    const timestamp = request.headers.get("x-amz-date") ?? "";
    const scope = { day: timestamp.slice(0, 8), region: "us-east-1" };
    const signer = new Signer(CREDENTIALS.secretAccessKey, scope, timestamp);
    let [, previous = ""] =
      /Signature=(\w+)/.exec(request.headers.get("authorization") ?? "") ?? [];
    const framed = [...chunks, ""].map((chunk) => {
      previous = signer.signChunk(previous, createHash("sha256").update(chunk).digest("hex"));
      return `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${chunk}\r\n`;
    });
    const response = await fetch(request.url, {
      method: "PUT",
      headers: request.headers,
      body: change(framed.join("")),
    });
    return { status: response.status, text: await response.text() };
  }

  it("is stored without its framing", async () => {
    await using s3 = await s3Harness();
    expect(await putChunked(s3, (body) => body)).toMatchObject({ status: 200 });
    const { text, headers } = await signedFetch(s3, { path });
    expect(text).toBe(chunks.join(""));
    expect(headers.get("content-encoding")).toBe("x-own");
  });

  it("is refused if a byte was changed, and no part of it is stored", async () => {
    await using s3 = await s3Harness();
    const answer = await putChunked(s3, (body) => body.replace("yyy", "yyz"));
    expect(answer).toMatchObject({
      status: 403,
      text: expect.stringContaining("<Code>SignatureDoesNotMatch</Code>"),
    });
    expect(await isThere(s3)).toBe(false);
  });
});
