/** Buckets of volumes: files of workers are objects, objects are files, and no link leads out of the volume. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openOnDisk } from "../../contract/objects/disk-subject.ts";
import {
  inPieces,
  keysOf,
  md5,
  pattern,
  PLAIN,
  put,
  read,
  textAt,
} from "../../contract/objects/subject.ts";

describe("files of workers", () => {
  it("a file that a worker wrote is an object, with an ETag that does not look like an MD5", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    fs.mkdirSync(path.join(volume, "models/a b"), { recursive: true });
    fs.writeFileSync(path.join(volume, "models/a b/weights.bin"), pattern(100_000));
    expect(await keysOf(bucket)).toEqual(["models/a b/weights.bin"]);
    const info = await bucket.head("models/a b/weights.bin");
    expect(info).toMatchObject({ sizeBytes: 100_000, headers: {}, metadata: {} });
    expect(info.etag).toMatch(/^[0-9a-f]{32}-0$/);
    expect(pattern(100_000).equals(await read(bucket, "models/a b/weights.bin"))).toBe(true);
  });

  it("an object is a file for workers, in directories created for it", async () => {
    await using subject = await openOnDisk("volume");
    await put(subject.bucket, "in/put/x.txt", "hello");
    const file = path.join(subject.volume, "in/put/x.txt");
    expect(fs.readFileSync(file, "utf8")).toBe("hello");
    expect(fs.statSync(file).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  it("a file that a worker changed is another object without the client's metadata of the former", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    const options = { headers: { "content-type": "text/plain" }, metadata: { a: "b" } };
    const before = await put(bucket, "x", "client", options);
    expect(before.etag).toBe(md5("client"));
    fs.writeFileSync(path.join(volume, "x"), "worker");
    const after = await bucket.head("x");
    expect(after).toMatchObject({ sizeBytes: 6, headers: {}, metadata: {} });
    expect(after.etag).not.toBe(before.etag);
    fs.appendFileSync(path.join(volume, "x"), "!");
    expect((await bucket.head("x")).etag).not.toBe(after.etag);
    expect(await textAt(bucket, "x")).toBe("worker!");
  });

  it("a growing file is read up to its length at the beginning", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    fs.writeFileSync(path.join(volume, "log"), "first");
    await using object = await bucket.open("log");
    fs.appendFileSync(path.join(volume, "log"), " second");
    const pieces: Buffer[] = [];
    for await (const piece of object.read()) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe("first");
  });

  it("directories are not objects, even empty ones; an object can replace a directory without files", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    fs.mkdirSync(path.join(volume, "a/b"), { recursive: true });
    expect(await bucket.list({ delimiter: "/", maxEntries: 9 })).toMatchObject({
      items: [],
      commonPrefixes: [],
    });
    await expect(bucket.head("a/b")).rejects.toHaveProperty("code", "NoSuchKey");
    await put(bucket, "a/b", "now a file");
    expect(await keysOf(bucket)).toEqual(["a/b"]);
    await bucket.delete("a/b");
    expect(fs.existsSync(path.join(volume, "a"))).toBe(true);
  });

  it("an object cannot replace a directory with files, nor lie below a file", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket } = subject;
    await put(bucket, "a/b", "x");
    for (const key of ["a", "a/b/c"]) {
      await expect(put(bucket, key, "y")).rejects.toMatchObject({
        code: "InvalidObjectName",
        message: expect.stringContaining("a directory is where the file would be"),
      });
    }
    await bucket.delete("a");
    expect(await textAt(bucket, "a/b")).toBe("x");
    expect(await subject.contentFiles()).toEqual(["a/b"]);
  });

  it("pipes, sockets and files with names that are not UTF-8 are not objects", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    execFileSync("mkfifo", [path.join(volume, "pipe")]);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${volume}/bad`), Buffer.of(0xff)]), "x");
    fs.writeFileSync(path.join(volume, "good"), "x");
    expect(await keysOf(bucket)).toEqual(["good"]);
    await expect(bucket.open("pipe")).rejects.toHaveProperty("code", "NoSuchKey");
  });
});

describe("links", () => {
  async function withLinks() {
    const subject = await openOnDisk("volume");
    const { volume, directory } = subject;
    const outside = path.join(directory, "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, "secret"), "secret");
    fs.mkdirSync(path.join(volume, "blobs"));
    fs.writeFileSync(path.join(volume, "blobs/real"), "real");
    const link = (target: string, at: string) => fs.symlinkSync(target, path.join(volume, at));
    link("blobs/real", "inside");
    link("../outside/secret", "file-outside");
    link(path.join(outside, "secret"), "file-outside-absolute");
    link("../outside", "directory-outside");
    link("..", "up");
    link("blobs", "directory-inside");
    link("loop", "loop");
    link("nowhere", "dangling");
    link("/proc/self/environ", "environment");
    return { ...subject, subject, outside };
  }

  it("only links to a file in the volume are objects", async () => {
    const { bucket, subject } = await withLinks();
    await using _ = subject;
    expect(await keysOf(bucket)).toEqual(["blobs/real", "inside"]);
    expect(await textAt(bucket, "inside")).toBe("real");
    for (const key of [
      "file-outside",
      "file-outside-absolute",
      "directory-outside/secret",
      "up/outside/secret",
      "directory-inside/real",
      "loop",
      "dangling",
      "environment",
    ]) {
      await expect(bucket.head(key), key).rejects.toHaveProperty("code", "NoSuchKey");
      await expect(bucket.open(key), key).rejects.toHaveProperty("code", "NoSuchKey");
    }
  });

  it("nothing is written or deleted through a link", async () => {
    const { bucket, subject, outside, volume } = await withLinks();
    await using _ = subject;
    for (const key of ["directory-outside/new", "up/outside/new", "directory-inside/new"]) {
      await expect(put(bucket, key, "x")).rejects.toHaveProperty("code", "InvalidObjectName");
      await bucket.delete(key.replace("new", "secret"));
    }
    await put(bucket, "file-outside", "in its place");
    await bucket.delete("file-outside-absolute");
    await bucket.delete("inside");
    expect(fs.readdirSync(outside)).toEqual(["secret"]);
    expect(fs.readFileSync(path.join(outside, "secret"), "utf8")).toBe("secret");
    expect(fs.readFileSync(path.join(volume, "blobs/real"), "utf8")).toBe("real");
    expect(await textAt(bucket, "file-outside")).toBe("in its place");
    expect(fs.existsSync(path.join(volume, "file-outside-absolute"))).toBe(false);
  });

  it("a link instead of the directory for uploads stops uploads, and no upload follows it", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, directory, volume } = subject;
    fs.mkdirSync(path.join(directory, "outside"));
    fs.symlinkSync("../outside", path.join(volume, ".sv-objects"));
    await expect(put(bucket, "x", "y")).rejects.toHaveProperty("code", "InvalidObjectName");
    expect(fs.readdirSync(path.join(directory, "outside"))).toEqual([]);
  });
});

describe("an unfinished upload", () => {
  it("is not an object, and is removed when the volume is a bucket again", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, volume } = subject;
    async function* stopsHalfway() {
      yield pattern(1_000);
      expect(fs.readdirSync(path.join(volume, ".sv-objects"))).toHaveLength(1);
      expect(await keysOf(bucket)).toEqual([]);
      yield pattern(1_000);
    }
    await bucket.put("x", stopsHalfway(), PLAIN);
    fs.writeFileSync(path.join(volume, ".sv-objects/left-by-a-crash"), "x");
    const reopened = await subject.reopen();
    expect(fs.readdirSync(path.join(volume, ".sv-objects"))).toEqual([]);
    expect(await keysOf(reopened)).toEqual(["x"]);
  });

  it("a volume that is no longer a bucket keeps its files and loses its open uploads", async () => {
    await using subject = await openOnDisk("volume");
    const { bucket, store } = subject;
    await put(bucket, "x", "kept");
    const upload = await bucket.uploads.create("y", PLAIN);
    await bucket.uploads.putPart(upload, 1, inPieces(pattern(10)));
    store.dropVolumeBucket("bucket");
    expect(store.buckets()).toEqual([]);
    const again = await store.volumeBucket("bucket", subject.volume);
    expect(await textAt(again, "x")).toBe("kept");
    expect(await again.uploads.list()).toEqual([]);
  });
});

it("a volume cannot be deleted like a bucket, or have a bucket's name", async () => {
  await using subject = await openOnDisk("volume");
  const { store, volume } = subject;
  await expect(store.deleteBucket("bucket")).rejects.toHaveProperty("code", "AccessDenied");
  expect(() => store.createBucket("bucket")).toThrow("already");
  store.createBucket("other");
  await expect(store.volumeBucket("other", volume)).rejects.toThrow("already");
  await expect(store.volumeBucket("new", path.join(volume, "missing"))).rejects.toThrow("ENOENT");
});
