/** Buckets over HTTP, several objects at a time, and unsupported operations. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  HeadBucketCommand,
  ListBucketsCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { codeOf, KEYS, put, textAt } from "./awkward-keys.ts";
import { BUCKET, s3Harness } from "./s3-harness.ts";
import { signedFetch } from "./signed-fetch.ts";

describe("buckets", () => {
  it("are created, listed, located, and deleted when empty", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    await client.send(new CreateBucketCommand({ Bucket: "my.bucket-1" }));
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([BUCKET, "my.bucket-1"]);
    await client.send(new HeadBucketCommand({ Bucket: "my.bucket-1" }));
    const where = await client.send(new GetBucketLocationCommand({ Bucket: "my.bucket-1" }));
    expect(where.LocationConstraint).toBeFalsy();
    expect(await codeOf(client.send(new CreateBucketCommand({ Bucket: "my.bucket-1" })))).toBe(
      "BucketAlreadyOwnedByYou",
    );
    await put(client, "a");
    const dropping = client.send(new DeleteBucketCommand({ Bucket: BUCKET }));
    expect(await codeOf(dropping)).toBe("BucketNotEmpty");
    await client.send(new DeleteBucketCommand({ Bucket: "my.bucket-1" }));
    const looking = client.send(new HeadBucketCommand({ Bucket: "my.bucket-1" }));
    expect(await codeOf(looking)).toBe("NotFound");
  });

  it.each(["ab", "Upper", "under_score", "-x-", "a..b", "x".repeat(64)])(
    "cannot have the name %s",
    async (name) => {
      await using s3 = await s3Harness();
      const answer = await signedFetch(s3, { method: "PUT", path: `/${name}` });
      expect(answer).toMatchObject({ status: 400, code: "InvalidBucketName" });
    },
  );

  it("that do not exist are reported as missing by every operation", async () => {
    await using s3 = await s3Harness();
    const asks = [
      { path: "/none" },
      { path: "/none", query: { "list-type": "2" } },
      { path: "/none", query: { uploads: "" } },
      { path: "/none", query: { location: "" } },
      { path: "/none/key" },
      { path: "/none/key", method: "PUT", body: Buffer.from("x") },
      { path: "/none/key", method: "DELETE" },
      { path: "/none/key", method: "POST", query: { uploads: "" } },
      { path: "/none", method: "DELETE" },
    ];
    for (const ask of asks) {
      const answer = await signedFetch(s3, ask);
      expect(answer, JSON.stringify(ask)).toMatchObject({ status: 404, code: "NoSuchBucket" });
    }
  });
});

describe("several objects at a time", () => {
  it("are deleted, and the answer lists each key", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    const keys = [...KEYS, `<&>"'`, " leading and trailing ", "line\r\nbreak", "never there"];
    for (const key of keys.slice(0, -1)) await put(client, key);
    const Objects = keys.map((Key) => ({ Key }));
    const deleted = await client.send(
      new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects } }),
    );
    expect(deleted.Deleted?.map(({ Key }) => Key)).toEqual(keys);
    for (const key of keys) expect(await codeOf(textAt(client, key))).toBe("NoSuchKey");
  });

  it("are deleted in quiet mode, and the answer lists only refusals", async () => {
    await using s3 = await s3Harness();
    const { client } = s3;
    await put(client, "a");
    const answer = await client.send(
      new DeleteObjectsCommand({
        Bucket: BUCKET,
        Delete: { Objects: [{ Key: "a" }, { Key: "x".repeat(1_025) }], Quiet: true },
      }),
    );
    expect(answer.Deleted).toBeUndefined();
    expect(answer.Errors).toMatchObject([{ Code: "KeyTooLongError" }]);
    expect(await codeOf(textAt(client, "a"))).toBe("NoSuchKey");
  });

  it.each([
    ["no XML", "nonsense"],
    ["not closed", "<Delete><Object><Key>a</Key></Object>"],
    ["another document", "<Other><Object><Key>a</Key></Object></Other>"],
    ["without keys", "<Delete></Delete>"],
    [
      "with a document type",
      '<!DOCTYPE x [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>',
    ],
    ["with an unknown entity", "<Delete><Object><Key>&a;</Key></Object></Delete>"],
    ["with elements in a key", "<Delete><Object><Key><b>a</b></Key></Object></Delete>"],
    ["with too many keys", `<Delete>${"<Object><Key>a</Key></Object>".repeat(1_001)}</Delete>`],
  ])("a list that is %s deletes nothing", async (_what, body) => {
    await using s3 = await s3Harness();
    await put(s3.client, "a");
    const answer = await signedFetch(s3, {
      method: "POST",
      path: `/${BUCKET}`,
      query: { delete: "" },
      body: Buffer.from(body),
    });
    expect(answer).toMatchObject({ status: 400, code: "MalformedXML" });
    expect(await textAt(s3.client, "a")).toBe("hello");
  });
});

describe("unsupported requests", () => {
  it.each([
    ["GET", "acl"],
    ["PUT", "acl"],
    ["GET", "tagging"],
    ["PUT", "versioning"],
    ["GET", "cors"],
    ["PUT", "policy"],
    ["DELETE", "lifecycle"],
    ["POST", "restore"],
    ["DELETE", "uploads"],
    ["PUT", "location"],
  ])("%s with %s is answered with 501, and has no other effect", async (method, name) => {
    await using s3 = await s3Harness();
    for (const path of [`/${BUCKET}`, "/another", `/${BUCKET}/key`]) {
      const answer = await signedFetch(s3, { method, path, query: { [name]: "" } });
      expect(answer).toMatchObject({ status: 501, code: "NotImplemented" });
    }
    expect(s3.store.buckets().map((bucket) => bucket.name)).toEqual([BUCKET]);
  });

  it.each([
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-customer-key",
    "x-amz-object-lock-mode",
    "x-amz-tagging",
    "x-amz-website-redirect-location",
  ])("an object with %s is refused, not stored without it", async (name) => {
    await using s3 = await s3Harness();
    const ask = { method: "PUT", path: `/${BUCKET}/a`, headers: { [name]: "x" }, body: "x" };
    expect(await signedFetch(s3, ask)).toMatchObject({ status: 501, code: "NotImplemented" });
    expect(await codeOf(textAt(s3.client, "a"))).toBe("NoSuchKey");
  });

  it("versions, parts of objects, and unknown methods are refused", async () => {
    await using s3 = await s3Harness();
    const path = `/${BUCKET}/a`;
    const versioned = await signedFetch(s3, { path, query: { versionId: "3" } });
    expect(versioned.status).toBe(501);
    const part = await signedFetch(s3, { path, query: { partNumber: "1" } });
    expect(part.status).toBe(501);
    expect(await signedFetch(s3, { method: "PATCH", path })).toMatchObject({
      status: 405,
      code: "MethodNotAllowed",
    });
    const plain = await signedFetch(s3, { path: `/${BUCKET}`, query: { versioning: "" } });
    expect(plain).toMatchObject({ status: 200, text: expect.stringContaining("<VersioningC") });
  });
});
