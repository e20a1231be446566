/** Volumes on a file system that ignores case: no object silently replaces another. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DirectoryStore } from "../../../runtime/storage/directory-store.ts";
import { openOnDisk } from "../../contract/objects/disk-subject.ts";
import { keysOf, PLAIN, put, textAt } from "../../contract/objects/subject.ts";
import { caseFoldingIsMissing, mountCaseFolding } from "../../setup/case-folding.ts";
import type { TemporaryDirectory } from "../../setup/temporary-directory.ts";

const REFUSED = {
  code: "InvalidObjectName",
  message: expect.stringContaining("differs only in case or Unicode form") as string,
};

describe.runIf(caseFoldingIsMissing === undefined)("on a file system that folds case", () => {
  let mounted: TemporaryDirectory;
  beforeAll(() => (mounted = mountCaseFolding()));
  afterAll(() => mounted[Symbol.dispose]());
  let count = 0;
  const open = () => openOnDisk("volume", path.join(mounted.path, String(++count)));

  it("two names that differ in case are one file, as these tests require", () => {
    fs.writeFileSync(path.join(mounted.path, "Probe"), "x");
    expect(fs.readFileSync(path.join(mounted.path, "pROBE"), "utf8")).toBe("x");
  });

  it("an object is read and replaced only under its own key", async () => {
    await using subject = await open();
    const { bucket } = subject;
    await put(bucket, "Models/É.bin", "first");
    await expect(bucket.head("models/É.bin")).rejects.toMatchObject({ code: "NoSuchKey" });
    await expect(bucket.open("Models/é.bin")).rejects.toMatchObject({ code: "NoSuchKey" });
    await bucket.delete("Models/é.bin");
    await expect(put(bucket, "Models/é.bin", "other")).rejects.toMatchObject(REFUSED);
    await expect(put(bucket, "models/new.bin", "other")).rejects.toMatchObject(REFUSED);
    expect(await keysOf(bucket)).toEqual(["Models/É.bin"]);
    expect(await textAt(bucket, "Models/É.bin")).toBe("first");
    await put(bucket, "Models/É.bin", "second");
    expect(await textAt(bucket, "Models/É.bin")).toBe("second");
    await bucket.delete("Models/É.bin");
    expect(await keysOf(bucket)).toEqual([]);
  });

  it("no object gets into the directory of waiting uploads, however it is spelled", async () => {
    await using subject = await open();
    const key = ".SV-objects/x";
    await put(subject.bucket, "first");
    await expect(put(subject.bucket, key, "x")).rejects.toMatchObject(REFUSED);
  });

  it("keys of an endpoint's own bucket are no file names, so any two are different", async () => {
    await using subject = await openOnDisk("endpoint", path.join(mounted.path, "own"));
    await put(subject.bucket, "a", "small");
    await put(subject.bucket, "A", "large");
    expect(await textAt(subject.bucket, "a")).toBe("small");
    expect(await keysOf(subject.bucket)).toEqual(["A", "a"]);
  });

  it("a directory used as a bucket refuses a key with another key's file", async () => {
    const store = new DirectoryStore(path.join(mounted.path, "directory"));
    const terms = {
      ...{ ...PLAIN, contentType: "text/plain", partSizeBytes: undefined, concurrency: 1 },
      ...{ sent: () => undefined, signal: new AbortController().signal },
    };
    const bytes = (text: string) => ({ kind: "bytes", bytes: Buffer.from(text) }) as const;
    await store.put("Out/a.txt", bytes("first"), terms);
    for (const key of ["Out/A.txt", "out/b.txt"]) {
      await expect(store.put(key, bytes("other"), terms)).rejects.toThrow(
        /takes both for the same/u,
      );
      await expect(store.get(key)).rejects.toThrow(/takes both for the same/u);
    }
    await store.put("Out/a.txt", bytes("second"), terms);
    expect(fs.readFileSync(path.join(mounted.path, "directory/Out/a.txt"), "utf8")).toBe("second");
  });
});
