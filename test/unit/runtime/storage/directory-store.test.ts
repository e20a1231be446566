/** A directory in place of a bucket: whole files or none, and no path out of it. */
import fs from "node:fs";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { UploadBody, UploadedObject } from "../../../../runtime/storage/contract.ts";
import { DirectoryStore } from "../../../../runtime/storage/directory-store.ts";
import { upload } from "../../../../runtime/storage/upload/upload.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const terms = { idleTimeoutMs: 1_000, signal: new AbortController().signal };

function put(
  root: string,
  key: string,
  body: UploadBody,
  signal = terms.signal,
): Promise<UploadedObject> {
  return upload(key, body, {}, { store: new DirectoryStore(root), signal });
}

test("an object is a file, and can be read and replaced", async () => {
  await using tree = await temporaryTree({});
  const { url, sizeBytes } = await put(
    tree.root,
    "a/b c.txt",
    Readable.from(["one ", Buffer.from("two")]),
  );
  expect([url, sizeBytes]).toEqual([pathToFileURL(tree.path("a/b c.txt")).href, 7]);
  await put(tree.root, "a/b c.txt", "three");
  const { stream, sizeBytes: size } = await new DirectoryStore(tree.root).get("a/b c.txt");
  expect([Buffer.concat(await stream.toArray()).toString(), size]).toEqual(["three", 5]);
});

test("a missing object is reported as not found", async () => {
  await using tree = await temporaryTree({});
  await expect(new DirectoryStore(tree.root).get("k")).rejects.toMatchObject({
    code: "storage_not_found",
  });
});

test("a failed or stopped upload leaves no file", async () => {
  await using tree = await temporaryTree({});
  const own = new Error("torn");
  const torn = (async function* () {
    yield "a";
    throw own;
  })();
  await expect(put(tree.root, "dir/k", torn)).rejects.toBe(own);
  const stop = new AbortController();
  const endless = new Readable({ read: () => stop.abort(new Error("stopped")) });
  await expect(put(tree.root, "dir/k", endless, stop.signal)).rejects.toThrow("stopped");
  expect(fs.readdirSync(tree.path("dir"))).toEqual([]);
});

test.each(["/etc/passwd", "a//b", "a/", "a\0b"])("the path %j is refused", async (key) => {
  await using tree = await temporaryTree({});
  await expect(put(tree.root, key, "x")).rejects.toMatchObject({ code: "storage_refused" });
  expect(fs.readdirSync(tree.root)).toEqual([]);
});
