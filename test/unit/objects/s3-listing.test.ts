/** Listings over HTTP: both versions, by page, with texts that XML can hold and texts that it cannot. */
import {
  ListObjectsCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { BUCKET, type S3Harness, s3Harness } from "./s3-harness.ts";
import { signedFetch } from "./signed-fetch.ts";

const KEYS = ["a&b<c>\"'.txt", "b/1", "b/2", "b/c/3", "d", "e f+g%20", "ü/\u{1F600}"];

async function withKeys(keys: readonly string[] = KEYS): Promise<S3Harness> {
  const s3 = await s3Harness();
  for (const Key of keys) {
    await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: Key }));
  }
  return s3;
}

it("all keys are listed, in pages of any size", async () => {
  await using s3 = await withKeys();
  for (const pageSize of [1, 2, 3, 7, 1_000]) {
    const found: (string | undefined)[] = [];
    const pages = paginateListObjectsV2({ client: s3.client, pageSize }, { Bucket: BUCKET });
    for await (const { Contents = [], KeyCount } of pages) {
      expect(KeyCount).toBe(Contents.length);
      expect(Contents.length).toBeLessThanOrEqual(pageSize);
      found.push(...Contents.map(({ Key }) => Key));
    }
    expect(found).toEqual(KEYS);
  }
});

it("with a prefix and a delimiter, the matching objects and the common prefixes are listed", async () => {
  await using s3 = await withKeys();
  const ask = { Bucket: BUCKET, Prefix: "b/", Delimiter: "/" };
  const answers = [
    await s3.client.send(new ListObjectsCommand(ask)),
    await s3.client.send(new ListObjectsV2Command(ask)),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({
      Prefix: "b/",
      Delimiter: "/",
      IsTruncated: false,
      Contents: [{ Key: "b/1", Size: 3 }, { Key: "b/2" }],
      CommonPrefixes: [{ Prefix: "b/c/" }],
    });
  }
});

it("the first version continues after a marker, and gives the next marker", async () => {
  await using s3 = await withKeys();
  const first = await s3.client.send(
    new ListObjectsCommand({ Bucket: BUCKET, Delimiter: "/", MaxKeys: 2 }),
  );
  expect(first).toMatchObject({ IsTruncated: true, NextMarker: "b/" });
  const second = await s3.client.send(
    new ListObjectsCommand({ Bucket: BUCKET, Delimiter: "/", Marker: first.NextMarker }),
  );
  expect(second.Contents?.map(({ Key }) => Key)).toEqual(["d", "e f+g%20"]);
  expect(second.CommonPrefixes).toEqual([{ Prefix: "ü/" }]);
  expect(second.Contents?.[0]?.Owner?.ID).toBe("sv-runtime");
  // The first version ignores tokens.
  const query = { "continuation-token": "not one+of/ours" };
  expect(await signedFetch(s3, { path: `/${BUCKET}`, query })).toMatchObject({ status: 200 });
});

it("the second version starts after any text, and its tokens are opaque", async () => {
  await using s3 = await withKeys();
  const answer = await s3.client.send(
    new ListObjectsV2Command({ Bucket: BUCKET, StartAfter: "b/1x", MaxKeys: 1, FetchOwner: true }),
  );
  expect(answer).toMatchObject({ StartAfter: "b/1x", Contents: [{ Key: "b/2" }], KeyCount: 1 });
  expect(answer.Contents?.[0]?.Owner?.ID).toBe("sv-runtime");
  const wrong = new ListObjectsV2Command({ Bucket: BUCKET, ContinuationToken: "not one+of/ours" });
  await expect(s3.client.send(wrong)).rejects.toHaveProperty("name", "InvalidArgument");
});

it("keys that XML cannot contain are listed in URL encoding", async () => {
  const keys = ["a\u0001b", "a\nb", "a\rb", "a b", "\u0000", "\uFFFF"];
  await using s3 = await withKeys(keys);
  const ask = { Bucket: BUCKET, EncodingType: "url", MaxKeys: 1_000 } as const;
  const answers = [
    await s3.client.send(new ListObjectsCommand(ask)),
    await s3.client.send(new ListObjectsV2Command(ask)),
  ];
  for (const { Contents = [], EncodingType } of answers) {
    expect(EncodingType).toBe("url");
    const found = Contents.map(({ Key = "" }) => decodeURIComponent(Key));
    expect(found.toSorted()).toEqual(keys.toSorted());
  }
});

it.each([
  [{ "max-keys": "-1" }, "InvalidArgument"],
  [{ "max-keys": "many" }, "InvalidArgument"],
  [{ "encoding-type": "base64" }, "InvalidArgument"],
])("a listing with %j is refused", async (query, code) => {
  await using s3 = await s3Harness();
  expect(await signedFetch(s3, { path: `/${BUCKET}`, query })).toMatchObject({ status: 400, code });
});

it("a page has at most a thousand entries, and zero if zero are requested", async () => {
  await using s3 = await withKeys();
  const many = await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET, MaxKeys: 5_000 }));
  expect(many.MaxKeys).toBe(1_000);
  const none = await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET, MaxKeys: 0 }));
  expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false });
});
