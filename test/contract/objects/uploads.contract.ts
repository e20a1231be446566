/** Contract of the object store: multipart uploads. */
import { expect, it } from "vitest";
import type { Bucket, Upload } from "../../../emulator/objects/object-store.ts";
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

async function begun(bucket: Bucket, key: string, ...parts: readonly Uint8Array[]) {
  const upload = await bucket.uploads.create(key, PLAIN);
  for (const [index, bytes] of parts.entries()) await putPart(bucket, upload, index + 1, bytes);
  return upload;
}

async function putPart(bucket: Bucket, upload: Upload, number: number, bytes: Uint8Array) {
  return bucket.uploads.putPart(upload, number, inPieces(bytes));
}

export function uploadsContract(open: OpenBucket): void {
  it("the chosen parts become one object, in whatever order they came", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const attributes = { headers: { "content-type": "a/b" }, metadata: { c: "d" } };
    const upload = await bucket.uploads.create("big/one", attributes);
    const partOf = (number: number) => pattern(40_000 + number, number);
    for (const number of [4, 1, 3, 2]) await putPart(bucket, upload, number, partOf(number));
    expect(await keysOf(bucket)).toEqual([]);
    const info = await bucket.uploads.complete(upload, { numbers: [1, 2, 4] });
    const chosen = [1, 2, 4].map(partOf);
    const whole = Buffer.concat(chosen);
    const digests = Buffer.concat(chosen.map((part) => Buffer.from(md5(part), "hex")));
    expect(info).toMatchObject({
      ...attributes,
      key: "big/one",
      sizeBytes: whole.length,
      etag: `${md5(digests)}-3`,
      uploadId: upload.id,
    });
    expect(await bucket.head("big/one")).toEqual(info);
    expect(whole.equals(await read(bucket, "big/one"))).toBe(true);
    const range = { start: 39_990, end: 80_010 };
    expect(whole.subarray(39_990, 80_011).equals(await read(bucket, "big/one", range))).toBe(true);
    const again = bucket.uploads.find("big/one", upload.id);
    await expect(again).rejects.toHaveProperty("code", "NoSuchUpload");
  });

  it("a repeated part replaces the first one", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", Buffer.from("first"), Buffer.from("-end"));
    const part = await putPart(bucket, upload, 1, Buffer.from("second"));
    expect(part).toMatchObject({ number: 1, sizeBytes: 6, etag: md5("second") });
    expect(await bucket.uploads.parts(upload)).toMatchObject([
      { number: 1, etag: md5("second") },
      { number: 2, etag: md5("-end") },
    ]);
    await bucket.uploads.complete(upload, { numbers: [1, 2] });
    expect(await textAt(bucket, "a")).toBe("second-end");
  });

  it("an interrupted part leaves the previous one in place", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", Buffer.from("whole"));
    const broken = bucket.uploads.putPart(upload, 1, brokenOff(pattern(9_000)));
    await expect(broken).rejects.toThrow("the sender has gone");
    await bucket.uploads.complete(upload, { numbers: [1] });
    expect(await textAt(bucket, "a")).toBe("whole");
  });

  it("uploads and their parts survive a restart", async () => {
    await using subject = await open();
    const upload = await begun(subject.bucket, "a", pattern(10), pattern(20));
    const bucket = await subject.reopen();
    expect(await bucket.uploads.find("a", upload.id)).toEqual(upload);
    await bucket.uploads.complete(upload, { numbers: [1, 2] });
    expect((await bucket.head("a")).sizeBytes).toBe(30);
  });

  it("an aborted upload leaves nothing, and accepts no more parts", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", pattern(10_000), pattern(10_000));
    await bucket.uploads.abort(upload);
    const calls = [
      async () => bucket.uploads.abort(upload),
      async () => putPart(bucket, upload, 1, pattern(3)),
      async () => bucket.uploads.find("a", upload.id),
    ];
    for (const call of calls) await expect(call()).rejects.toHaveProperty("code", "NoSuchUpload");
    await subject.reopen();
    expect(await subject.contentFiles()).toEqual([]);
  });

  it("an upload that is aborted while a part arrives keeps nothing of the part", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a");
    async function* aborting() {
      yield pattern(1_000);
      await bucket.uploads.abort(upload);
      yield pattern(1_000);
    }
    const putting = bucket.uploads.putPart(upload, 1, aborting());
    await expect(putting).rejects.toHaveProperty("code", "NoSuchUpload");
    await subject.reopen();
    expect(await subject.contentFiles()).toEqual([]);
  });

  it("a missing part cannot be chosen, and the upload stays", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", pattern(5));
    const completing = bucket.uploads.complete(upload, { numbers: [1, 2] });
    await expect(completing).rejects.toHaveProperty("code", "InvalidPart");
    await bucket.uploads.complete(upload, { numbers: [1] });
    expect((await bucket.head("a")).sizeBytes).toBe(5);
  });

  it("an upload that must not replace an object is refused when there is one, and stays", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", Buffer.from("upload"));
    await put(bucket, "a", "object");
    const completing = bucket.uploads.complete(upload, { numbers: [1], ifAbsent: true });
    await expect(completing).rejects.toHaveProperty("code", "PreconditionFailed");
    expect(await textAt(bucket, "a")).toBe("object");
    await bucket.uploads.complete(upload, { numbers: [1] });
    expect(await textAt(bucket, "a")).toBe("upload");
  });

  it("open uploads are listed by key and age, without those of other buckets", async () => {
    await using subject = await open();
    const { bucket, clock } = subject;
    const ids: string[] = [];
    for (const key of ["b", "a", "b"]) {
      clock.now += 1;
      ids.push((await begun(bucket, key)).id);
    }
    const other = subject.store.createBucket("other");
    await other.uploads.create("a", PLAIN);
    const listed = await bucket.uploads.list();
    expect(listed.map(({ id }) => id)).toEqual([ids[1], ids[0], ids[2]]);
    const elsewhere = other.uploads.find("a", ids[1] ?? "");
    await expect(elsewhere).rejects.toHaveProperty("code", "NoSuchUpload");
    const wrongKey = bucket.uploads.find("b", ids[1] ?? "");
    await expect(wrongKey).rejects.toHaveProperty("code", "NoSuchUpload");
  });

  it("the parts of an upload can be read as one object", async () => {
    await using subject = await open();
    const { bucket } = subject;
    const upload = await begun(bucket, "a", Buffer.from("one "), Buffer.from("two"));
    const pieces: Uint8Array[] = [];
    for await (const piece of bucket.uploads.read(upload, [1, 2])) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe("one two");
  });
}
