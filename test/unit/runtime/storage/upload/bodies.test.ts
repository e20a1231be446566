/** Every kind of body arrives unchanged, in one piece or in parts. */
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { UploadBody } from "../../../../../runtime/storage/contract.ts";
import { temporaryDirectory } from "../../../../setup/temporary-directory.ts";
import { FakeS3, multipartEtag } from "../fake-s3.ts";
import { PART, storeOn } from "../store-on.ts";
import { sized } from "../../../../setup/size.ts";

/** Consecutive letters, so that no two places look alike. */
function letters(bytes: number): Buffer {
  const whole = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) whole[at] = 97 + ((at * 7 + (at >> 8)) % 26);
  return whole;
}

function* pieces(whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += 700_000) yield whole.subarray(at, at + 700_000);
}

async function* asynchronously(whole: Buffer): AsyncGenerator<Buffer | string> {
  let isText = false;
  for (const piece of pieces(whole)) {
    isText = !isText;
    yield isText ? piece.toString() : piece;
  }
}

function file(whole: Buffer): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory[Symbol.dispose]());
  const made = path.join(directory.path, "body.bin");
  fs.writeFileSync(made, whole);
  return made;
}

const kinds: Readonly<Record<string, (whole: Buffer) => UploadBody>> = {
  "a Buffer": (whole) => whole,
  "a view into a larger buffer": (whole) => {
    const larger = new Uint8Array(whole.length + 20);
    larger.set(whole, 10);
    return larger.subarray(10, 10 + whole.length);
  },
  "an ArrayBuffer": (whole) => new Uint8Array(whole).buffer,
  "a string": (whole) => whole.toString(),
  "a Blob": (whole) => new Blob([new Uint8Array(whole)]),
  "a Response": (whole) => new Response(new Uint8Array(whole)),
  "a file by its path": (whole) => ({ file: file(whole) }),
  "a file by its URL": (whole) => pathToFileURL(file(whole)),
  "a Node stream": (whole) => Readable.from(pieces(whole)),
  "a web stream": (whole) => ReadableStream.from(pieces(whole)),
  "an async iterable of text and bytes": asynchronously,
};

/** Kinds that have their own way of being cut into parts; the others become one of these. */
const CUT = ["a Buffer", "a Blob", "a file by its path", "an async iterable of text and bytes"];
const SMALL = [
  ["nothing", 0],
  ["less than a part", 100_000],
] as const;
const LARGE = [
  ["exactly a part", PART],
  ["three parts", PART * 2 + 1],
] as const;

describe.each(Object.entries(kinds))("%s", (kind, make) => {
  test.each([...SMALL, ...sized(CUT.includes(kind) ? LARGE : [], LARGE)])(
    "of %s arrives unchanged",
    async (_size, bytes) => {
      await using fake = await FakeS3.start();
      const whole = letters(bytes);
      const answer = await storeOn(fake.url).upload("k", make(whole), { partSizeBytes: PART });
      expect(fake.objects.get("k")?.body.equals(whole)).toBe(true);
      expect(fake.count("part")).toBe(bytes > PART ? 3 : 0);
      expect(answer).toMatchObject({ bucket: "b", key: "k", sizeBytes: bytes });
      expect(answer.etag).toBe(fake.objects.get("k")?.etag);
      expect(fake.multiparts.size).toBe(0);
    },
  );
});

test("a piece larger than several parts is cut", async () => {
  await using fake = await FakeS3.start();
  const whole = letters(PART * 3);
  const { etag } = await storeOn(fake.url).upload("k", Readable.from([whole]), {
    partSizeBytes: PART,
  });
  expect(etag).toBe(
    multipartEtag([0, 1, 2].map((at) => whole.subarray(at * PART, (at + 1) * PART))),
  );
});

test("parts are joined in order, even if the first one is stored last", async () => {
  await using fake = await FakeS3.start();
  const whole = letters(PART * 2 + 1);
  const { promise: others, resolve: othersAreSent } = Promise.withResolvers<void>();
  fake.trouble("part", others);
  let sent = 0;
  const onProgress = () => ((sent += 1) === 2 ? othersAreSent() : undefined);
  const terms = { partSizeBytes: PART, concurrency: 2, onProgress };
  await storeOn(fake.url).upload("k", whole, terms);
  expect(fake.objects.get("k")?.body.equals(whole)).toBe(true);
});

test("a growing file arrives with the bytes added during the read", async () => {
  await using fake = await FakeS3.start();
  const whole = letters(1_500_000);
  const growing = file(whole.subarray(0, 1_200_000));
  const body = { file: growing };
  const upload = storeOn(fake.url).upload("k", body, {
    partSizeBytes: PART,
    onProgress: () => undefined,
  });
  fs.appendFileSync(growing, whole.subarray(1_200_000));
  await upload;
  expect(fake.objects.get("k")?.body.equals(whole)).toBe(true);
});

describe("a body that cannot be uploaded", () => {
  const spent = Readable.from(["a"]);
  spent.destroy();
  const locked = ReadableStream.from(["a"]);
  locked.getReader();
  test.each<[string, unknown, string]>([
    ["undefined", undefined, "The body of an upload must be a string, bytes, a Blob"],
    ["a number", 7, "The body of an upload must be a string, bytes, a Blob"],
    ["an array", ["a"], "The body of an upload must be a string, bytes, a Blob"],
    [
      "a web address",
      new URL("https://x.test/"),
      "Only a file: URL can be uploaded, not an https:",
    ],
    ["a directory", { file: import.meta.dirname }, `${import.meta.dirname} is no file.`],
    ["a missing file", { file: "/nowhere/at/all" }, "ENOENT"],
    ["a stream that was read", spent, "The stream has a reader, or was read already"],
    ["a stream that is being read", locked, "The stream has a reader, or was read already"],
    ["a stream of other values", Readable.from([{ a: 1 }]), "must yield text or bytes"],
  ])("%s: the sentence says so", async (_, body, says) => {
    await using fake = await FakeS3.start();
    const upload = storeOn(fake.url).upload("k", body as UploadBody);
    await expect(upload).rejects.toThrow(says);
    expect(fake.seen).toEqual([]);
  });
});

describe("an invalid key or option", () => {
  test.each<[string, string, object, string]>([
    ["an empty key", "", {}, "must be a string that is not empty"],
    ["half a surrogate pair", "a\uD800", {}, "no valid Unicode"],
    [
      "a path upwards",
      "a/../b",
      {},
      'The key "a/../b" has a part "." or "..": no URL can address it',
    ],
    ["1,025 bytes", "ä".repeat(512) + "a", {}, "has 1025 bytes, and at most 1024 are accepted"],
    [
      "parts that are too small",
      "k",
      { partSizeBytes: 5_000_000 },
      "`partSizeBytes` must be a whole number from 5242880",
    ],
    [
      "a concurrency of 0",
      "k",
      { concurrency: 0 },
      "`concurrency` must be a whole number from 1 to 64",
    ],
    [
      "more than a week",
      "k",
      { expiresInMs: 604_800_001 },
      "`expiresInMs` must be a whole number from 1000 to 604800000",
    ],
    [
      "a line break in a header",
      "k",
      { contentType: "a\nb" },
      "`contentType` must be a string of printable ASCII",
    ],
    [
      "metadata beyond ASCII",
      "k",
      { metadata: { a: "ä" } },
      "`metadata.a` must be a string of printable ASCII",
    ],
    [
      "an invalid header name",
      "k",
      { metadata: { "a b": "c" } },
      'The name "a b" in metadata must be letters',
    ],
  ])("%s: the sentence says so", async (_, key, options, says) => {
    await using fake = await FakeS3.start();
    await expect(storeOn(fake.url).upload(key, "x", options)).rejects.toThrow(says);
    expect(fake.seen).toEqual([]);
  });
});

test("the type is the caller's, else the own one of a Blob or a Response, else the key's, else by whether the body is text", async () => {
  await using fake = await FakeS3.start();
  const { upload } = storeOn(fake.url);
  const typed = new Blob(["x"], { type: "image/x-own" });
  await upload("1.png", "x", { contentType: "image/webp" });
  await upload("2.png", typed);
  await upload("dir/3.PNG", Buffer.from("x"));
  await upload("4.html", "ä");
  await upload("5", "x");
  await upload("6", Buffer.from("x"));
  await upload("7.json", new Blob(["{}"]));
  await upload("8.json", new Response("x", { headers: { "content-type": "image/x-own" } }));
  expect([...fake.objects.values()].map(({ contentType }) => contentType)).toEqual([
    "image/webp",
    "image/x-own",
    "image/png",
    "text/html; charset=utf-8",
    "text/plain; charset=utf-8",
    "application/octet-stream",
    "application/json",
    "image/x-own",
  ]);
});

test("metadata is kept in one piece and in parts, and progress reaches the end", async () => {
  await using fake = await FakeS3.start();
  const { upload } = storeOn(fake.url);
  const metadata = { model: "m-1", seed: "7" };
  await upload("small", "x", { metadata });
  const whole = letters(PART + 5);
  const heard: number[] = [];
  await upload("large", whole, {
    metadata,
    partSizeBytes: PART,
    concurrency: 1,
    onProgress: ({ sentBytes, totalBytes }) => {
      heard.push(sentBytes);
      expect(totalBytes).toBe(PART + 5);
    },
  });
  expect(heard).toEqual([PART, PART + 5]);
  expect(fake.objects.get("small")?.metadata).toEqual(metadata);
  expect(fake.objects.get("large")?.metadata).toEqual(metadata);
});

test("keys are used unchanged, whatever they contain", async () => {
  await using fake = await FakeS3.start();
  const { upload } = storeOn(fake.url);
  const keys = ["a b+c.txt", "ü/日本/😀", "..a/b..", "a//b", "100%", "k".repeat(1_024), "?a=b#c"];
  for (const key of keys) await upload(key, key);
  expect([...fake.objects.keys()]).toEqual(keys);
});
