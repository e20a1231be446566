/** Contract of the object store: objects are put, read, replaced and deleted. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  brokenOff,
  inPieces,
  keysOf,
  md5,
  type OpenBucket,
  pattern,
  PLAIN,
  put,
  read,
  textAt,
} from "./subject.ts";

export function objectsContract(open: OpenBucket): void {
  it.each([0, 1, 65_536, 65_537, 3_000_000])(
    "an object of %i bytes comes back byte for byte, with its MD5 as ETag",
    async (sizeBytes) => {
      await using subject = await open();
      const { bucket } = subject;
      const bytes = pattern(sizeBytes);
      const info = await put(bucket, "a", bytes);
      expect(info).toMatchObject({ key: "a", sizeBytes, etag: md5(bytes) });
      expect(await bucket.head("a")).toEqual(info);
      expect(bytes.equals(await read(bucket, "a"))).toBe(true);
    },
  );

  it("any range of an object can be read alone", async () => {
    await using subject = await open();
    const bytes = pattern(70_000);
    await put(subject.bucket, "a", bytes);
    const property = fc.asyncProperty(fc.nat(69_999), fc.nat(69_999), async (one, other) => {
      const range = { start: Math.min(one, other), end: Math.max(one, other) };
      const found = await read(subject.bucket, "a", range);
      expect(bytes.subarray(range.start, range.end + 1).equals(found)).toBe(true);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it("headers, metadata and checksum are kept unchanged, also over a restart", async () => {
    await using subject = await open();
    const options = {
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
      metadata: { "my-name": "Jos\u00e9", __proto__x: "" },
      checksum: () => ({ algorithm: "crc32", value: "AAAAAA==" }) as const,
    };
    const info = await put(subject.bucket, "a", "x", options);
    expect(info).toMatchObject({
      headers: options.headers,
      metadata: options.metadata,
      checksum: { algorithm: "crc32", value: "AAAAAA==" },
    });
    const reopened = await subject.reopen();
    expect(await reopened.head("a")).toEqual(info);
    expect(await textAt(reopened, "a")).toBe("x");
  });

  it("a key without an object is reported as missing", async () => {
    await using subject = await open();
    for (const key of ["a", "a/b", "a//b", "..", "../../etc/passwd", "/etc/passwd"]) {
      await expect(subject.bucket.head(key)).rejects.toHaveProperty("code", "NoSuchKey");
      await expect(subject.bucket.open(key)).rejects.toHaveProperty("code", "NoSuchKey");
      await expect(subject.bucket.delete(key)).resolves.toBeUndefined();
    }
  });

  it("a later object replaces an earlier one, and the earlier content is deleted", async () => {
    await using subject = await open();
    const { bucket } = subject;
    await put(bucket, "a", "first", { metadata: { of: "first" } });
    await put(bucket, "a", "second");
    expect(await textAt(bucket, "a")).toBe("second");
    expect((await bucket.head("a")).metadata).toEqual({});
    expect(await keysOf(bucket)).toEqual(["a"]);
    await subject.reopen();
    expect(await subject.contentFiles()).toHaveLength(1);
  });

  it("a reader continues with its object when that is replaced or deleted", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const bytes = pattern(2_000_000);
    await put(bucket, "a", bytes);
    {
      await using first = await bucket.open("a");
      await put(bucket, "a", "second");
      await bucket.delete("a");
      const hash = createHash("md5");
      for await (const piece of first.read()) hash.update(piece as Uint8Array);
      expect(hash.digest("hex")).toBe(md5(bytes));
    }
    await subject.reopen();
    expect(await subject.contentFiles()).toEqual([]);
  });

  it("an interrupted upload leaves the earlier object unchanged, and none of the new content", async () => {
    await using subject = await open();
    const { bucket } = subject;
    await put(bucket, "a", "old");
    for (const key of ["a", "b"]) {
      const putting = bucket.put(key, brokenOff(pattern(300_000)), PLAIN);
      await expect(putting).rejects.toThrow("the sender has gone");
    }
    expect(await textAt(bucket, "a")).toBe("old");
    expect(await keysOf(bucket)).toEqual(["a"]);
    expect(await subject.contentFiles()).toHaveLength(1);
  });

  it("an object is invisible until its upload is complete", async () => {
    await using subject = await open();
    const { bucket } = subject;
    await put(bucket, "a", "old");
    async function* watching(keys: readonly string[]) {
      yield pattern(100_000);
      expect(await textAt(bucket, "a")).toBe("old");
      expect(await keysOf(bucket)).toEqual(keys);
      yield Buffer.from("end");
    }
    await bucket.put("b", watching(["a"]), PLAIN);
    await bucket.put("a", watching(["a", "b"]), PLAIN);
    expect(await keysOf(bucket)).toEqual(["a", "b"]);
  });

  it("a conditional write that must not replace an object does not", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const tries = await Promise.allSettled(
      ["one", "two", "three"].map((text) => put(bucket, "a", text, { ifAbsent: true })),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of tries) {
      if (result.status === "rejected") {
        expect(result.reason).toHaveProperty("code", "PreconditionFailed");
      }
    }
    await subject.reopen();
    expect(await subject.contentFiles()).toHaveLength(1);
  });

  it("a write with an ETag as condition replaces that object only", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const missing = put(bucket, "a", "x", { ifMatch: md5("x") });
    await expect(missing).rejects.toHaveProperty("code", "NoSuchKey");
    const { etag } = await put(bucket, "a", "one");
    const updates = await Promise.allSettled(
      ["two", "three"].map((text) => put(bucket, "a", text, { ifMatch: etag })),
    );
    expect(updates.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const late = put(bucket, "a", "x", { ifMatch: etag });
    await expect(late).rejects.toHaveProperty("code", "PreconditionFailed");
  });

  it("many objects can be written to one key at once, and one of them stays, whole", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const contents = Array.from({ length: 12 }, (_, seed) => pattern(50_000 + seed, seed));
    await Promise.all(
      contents.map(async (bytes) => bucket.put("a", inPieces(bytes, 7_000), PLAIN)),
    );
    const found = await read(bucket, "a");
    expect(contents.some((bytes) => bytes.equals(found))).toBe(true);
    expect((await bucket.head("a")).etag).toBe(md5(found));
    await subject.reopen();
    expect(await subject.contentFiles()).toHaveLength(1);
  });
}
