/** A directory is uploaded whole, with bounded concurrency, and without files outside it. */
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { UploadDirOptions, UploadedObject } from "../../../../../runtime/storage/contract.ts";
import { uploadDir } from "../../../../../runtime/storage/upload/upload-dir.ts";
import { temporaryTree } from "../../../../temporary-tree.ts";
import { FakeS3, refusal } from "../fake-s3.ts";
import { storeOn } from "../store-on.ts";

function send(
  fake: FakeS3,
  prefix: string,
  directory: string | URL,
  options: UploadDirOptions = {},
): Promise<readonly UploadedObject[]> {
  const { store } = storeOn(fake.url);
  const { signal } = new AbortController();
  return uploadDir(prefix, directory, options, { store, signal });
}

test("all files are uploaded under the prefix, sorted, each with its own type, and progress counts all of them", async () => {
  await using fake = await FakeS3.start();
  await using tree = await temporaryTree({
    "b.txt": "second",
    "a/deep/er.json": "{}",
    "a/x.png": "first",
    "empty/": "",
    "c 1%.bin": "",
  });
  const heard: (number | undefined)[][] = [];
  const answers = await send(fake, "jobs/1", tree.root, {
    metadata: { of: "job" },
    onProgress: ({ sentBytes, totalBytes }) => heard.push([sentBytes, totalBytes]),
  });
  const keys = ["jobs/1/a/deep/er.json", "jobs/1/a/x.png", "jobs/1/b.txt", "jobs/1/c 1%.bin"];
  expect(answers.map(({ key }) => key)).toEqual(keys);
  expect([...fake.objects.keys()].toSorted()).toEqual(keys);
  expect(fake.objects.get("jobs/1/a/x.png")).toMatchObject({
    contentType: "image/png",
    metadata: { of: "job" },
  });
  expect(heard.at(-1)).toEqual([13, 13]);
});

test("a prefix may be empty or end in a slash, and the directory may be a URL", async () => {
  await using fake = await FakeS3.start();
  await using tree = await temporaryTree({ "a.txt": "a" });
  await send(fake, "", tree.root);
  await send(fake, "p/", pathToFileURL(`${tree.root}/`));
  expect([...fake.objects.keys()]).toEqual(["a.txt", "p/a.txt"]);
});

test("at most the given number of files are uploaded at once", async () => {
  await using fake = await FakeS3.start();
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.txt`, "x"]));
  await using tree = await temporaryTree(files);
  const gate = Promise.withResolvers<void>();
  fake.trouble("put", gate.promise, gate.promise, gate.promise);
  const sent = send(fake, "", tree.root, { concurrency: 3 });
  await fake.hasSeen("put", 3);
  gate.resolve();
  await sent;
  expect(fake.objects.size).toBe(20);
  expect(fake.mostAtOnce).toBe(3);
});

test("when one file fails the other uploads end, and its failure is thrown", async () => {
  await using fake = await FakeS3.start();
  await using tree = await temporaryTree({ "1.txt": "x", "2.txt": "x", "3.txt": "x" });
  fake.trouble("put", "hangs", refusal(403, "AccessDenied"));
  const sent = send(fake, "", tree.root, { concurrency: 2 });
  await expect(sent).rejects.toMatchObject({ code: "storage_access_denied" });
  expect(fake.count("put")).toBe(2);
});

test("a link to a file inside is followed, and a link that leads out is refused before any upload", async () => {
  await using fake = await FakeS3.start();
  await using tree = await temporaryTree({ "in/blob": "content", "in/deep/": "", "out.txt": "no" });
  fs.symlinkSync("../blob", tree.path("in/deep/link"));
  await send(fake, "", tree.path("in"));
  expect(fake.objects.get("deep/link")?.body.toString()).toBe("content");
  fs.symlinkSync("../out.txt", tree.path("in/leads-out"));
  await expect(send(fake, "again", tree.path("in"))).rejects.toThrow(
    `${tree.path("in/leads-out")} is a link that leads out of the directory, so it is not uploaded.`,
  );
  expect(fake.objects.size).toBe(2);
});

test("a missing directory is an error", async () => {
  await using fake = await FakeS3.start();
  await expect(send(fake, "", "/nowhere/at/all")).rejects.toThrow("ENOENT");
});
