/** Objects over HTTP: the SDK puts, gets, copies and deletes them. */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
} from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { codeOf, KEYS, put, textAt } from "./awkward-keys.ts";
import { BUCKET, s3Harness } from "./s3-harness.ts";
import { signedFetch } from "./signed-fetch.ts";

describe("objects", () => {
  it.each(KEYS)("are put, read, inspected and deleted: %j", async (Key) => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const { ETag } = await put(client, Key, `content of ${Key}`);
    expect(await textAt(client, Key)).toBe(`content of ${Key}`);
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key }));
    expect(head).toMatchObject({ ETag, ContentLength: Buffer.byteLength(`content of ${Key}`) });
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
    expect(await codeOf(textAt(client, Key))).toBe("NoSuchKey");
    expect(await codeOf(client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key })))).toBe(
      "no error",
    );
  });

  it("keep their metadata, and return it", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const said = {
      ContentType: "text/html; charset=utf-8",
      ContentEncoding: "gzip",
      ContentDisposition: 'attachment; filename="x.html"',
      ContentLanguage: "de",
      CacheControl: "max-age=60",
      Metadata: { camelcase: "Value", "with-dash": "=?UTF-8?B?w7w=?=" },
    };
    await put(client, "a", "x", said);
    for (const command of [GetObjectCommand, HeadObjectCommand]) {
      const answer = await client.send(new command({ Bucket: BUCKET, Key: "a" }));
      expect(answer).toMatchObject(said);
      expect(answer.LastModified?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    }
    await put(client, "b", Readable.from([Buffer.from("x")]), {
      ContentLength: 1,
      ContentEncoding: "br",
    });
    expect(await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "b" }))).toMatchObject({
      ContentEncoding: "br",
      ContentType: "application/octet-stream",
    });
  });

  it("have the type of plain bytes without a content type", async () => {
    await using s3 = await s3Harness();
    await signedFetch(s3, { method: "PUT", path: `/${BUCKET}/a`, body: Buffer.from("x") });
    const { headers } = await signedFetch(s3, { path: `/${BUCKET}/a` });
    expect(headers.get("content-type")).toBe("binary/octet-stream");
    expect(headers.get("content-encoding")).toBeNull();
  });

  it("are read in ranges", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    await put(client, "a", "0123456789");
    expect(await textAt(client, "a", { Range: "bytes=2-4" })).toBe("234");
    expect(await textAt(client, "a", { Range: "bytes=7-" })).toBe("789");
    expect(await textAt(client, "a", { Range: "bytes=-3" })).toBe("789");
    expect(await textAt(client, "a", { Range: "bytes=8-99" })).toBe("89");
    expect(await textAt(client, "a", { Range: "bytes=1-2,5-6" })).toBe("0123456789");
    const part = await client.send(
      new GetObjectCommand({ Bucket: BUCKET, Key: "a", Range: "bytes=2-4" }),
    );
    expect(part).toMatchObject({ ContentRange: "bytes 2-4/10", ContentLength: 3 });
    expect(part.$metadata.httpStatusCode).toBe(206);
    await part.Body?.transformToString();
    expect(await codeOf(textAt(client, "a", { Range: "bytes=10-" }))).toBe("InvalidRange");
    await put(client, "empty", "");
    expect(await codeOf(textAt(client, "empty", { Range: "bytes=0-0" }))).toBe("InvalidRange");
    expect(await textAt(client, "empty")).toBe("");
  });

  it("are read on conditions", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const { ETag } = await put(client, "a");
    const [before, after] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    const got = async (more: object) => codeOf(textAt(client, "a", more));
    expect(await got({ IfMatch: ETag })).toBe("no error");
    expect(await got({ IfMatch: '"other"' })).toBe("PreconditionFailed");
    expect(await got({ IfUnmodifiedSince: after })).toBe("no error");
    expect(await got({ IfUnmodifiedSince: before })).toBe("PreconditionFailed");
    expect(await got({ IfMatch: ETag, IfUnmodifiedSince: before })).toBe("no error");
    expect(await got({ IfNoneMatch: '"other"' })).toBe("no error");
    expect(await got({ IfNoneMatch: '"other"', IfModifiedSince: after })).toBe("no error");
    for (const headers of [
      { "if-none-match": ETag ?? "" },
      { "if-modified-since": after.toUTCString() },
      { "if-none-match": ETag ?? "", "if-modified-since": before.toUTCString() },
    ]) {
      const answer = await signedFetch(s3, { path: `/${BUCKET}/a`, headers });
      expect(answer).toMatchObject({ status: 304, text: "" });
      expect(answer.headers.get("etag")).toBe(ETag);
    }
  });

  it("can be read in ranges only while the reader's first object exists", async () => {
    await using s3 = await s3Harness();
    const { ETag = "" } = await put(s3.client, "a", "0123456789");
    const part = async (condition: string) =>
      signedFetch(s3, {
        path: `/${BUCKET}/a`,
        headers: { range: "bytes=0-1", "if-range": condition },
      });
    expect(await part(ETag)).toMatchObject({ status: 206, text: "01" });
    expect(await part('"other"')).toMatchObject({ status: 200, text: "0123456789" });
    const later = new Date(Date.now() + 60_000).toUTCString();
    expect(await part(later)).toMatchObject({ status: 206 });
    const earlier = new Date(Date.now() - 60_000).toUTCString();
    expect(await part(earlier)).toMatchObject({ status: 200 });
  });

  it("are written on conditions", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const { ETag } = await put(client, "a", "one", { IfNoneMatch: "*" });
    expect(await codeOf(put(client, "a", "two", { IfNoneMatch: "*" }))).toBe("PreconditionFailed");
    expect(await codeOf(put(client, "a", "two", { IfMatch: ETag }))).toBe("no error");
    expect(await codeOf(put(client, "a", "three", { IfMatch: ETag }))).toBe("PreconditionFailed");
    expect(await codeOf(put(client, "b", "x", { IfMatch: ETag }))).toBe("NoSuchKey");
    expect(await textAt(client, "a")).toBe("two");
  });

  it("can be read with overridden headers of the answer", async () => {
    await using s3 = await s3Harness();
    await put(s3.client, "a", "x", { ContentType: "text/plain" });
    const answer = await s3.client.send(
      new GetObjectCommand({
        Bucket: BUCKET,
        Key: "a",
        ResponseContentType: "image/png",
        ResponseContentDisposition: "inline",
        ResponseCacheControl: "no-cache",
      }),
    );
    expect(answer).toMatchObject({
      ContentType: "image/png",
      ContentDisposition: "inline",
      CacheControl: "no-cache",
    });
    await answer.Body?.transformToString();
  });

  it.each(["two\r\nx-lines: yes", "日本.txt", "\u0000"])(
    "cannot be read with %j in a header",
    async (text) => {
      await using s3 = await s3Harness();
      await put(s3.client, "a");
      const query = { "response-content-disposition": text };
      const answer = await signedFetch(s3, { path: `/${BUCKET}/a`, query });
      expect(answer).toMatchObject({ status: 400, code: "InvalidArgument" });
      expect(s3.logged).toEqual([]);
    },
  );
});

describe("copies", () => {
  const copy = (Key: string, source: string, more = {}) =>
    new CopyObjectCommand({
      Bucket: BUCKET,
      Key,
      CopySource: `${BUCKET}/${source.split("/").map(encodeURIComponent).join("/")}`,
      ...more,
    });

  it.each(KEYS)("have the content and the metadata of their source: %j", async (source) => {
    await using s3 = await s3Harness();
    const { client } = s3;
    await put(client, source, "content", { ContentType: "a/b", Metadata: { c: "d" } });
    const { CopyObjectResult } = await client.send(copy("copy", source));
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "copy" }));
    expect(head).toMatchObject({
      ContentType: "a/b",
      Metadata: { c: "d" },
      ETag: CopyObjectResult?.ETag,
    });
    expect(await textAt(client, "copy")).toBe("content");
  });

  it("can have other metadata, even when they replace their source", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    await put(client, "a", "content", { ContentType: "a/b", Metadata: { c: "d" } });
    expect(await codeOf(client.send(copy("a", "a")))).toBe("InvalidRequest");
    const more = { MetadataDirective: "REPLACE", ContentType: "x/y", Metadata: { e: "f" } };
    await client.send(copy("a", "a", more));
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: "a" }));
    expect(head).toMatchObject({ ContentType: "x/y", Metadata: { e: "f" } });
    expect(await textAt(client, "a")).toBe("content");
  });

  it("are made on conditions of their source", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const { ETag } = await put(client, "a");
    const made = async (more: object) => codeOf(client.send(copy("b", "a", more)));
    expect(await made({ CopySourceIfMatch: ETag })).toBe("no error");
    expect(await made({ CopySourceIfMatch: '"x"' })).toBe("PreconditionFailed");
    expect(await made({ CopySourceIfNoneMatch: ETag })).toBe("PreconditionFailed");
    expect(await codeOf(client.send(copy("b", "missing")))).toBe("NoSuchKey");
    const elsewhere = { CopySource: "missing/a" };
    expect(await codeOf(client.send(copy("b", "a", elsewhere)))).toBe("NoSuchBucket");
    expect(await codeOf(client.send(copy("b", "a", { CopySource: "nokey" })))).toBe(
      "InvalidArgument",
    );
  });
});
