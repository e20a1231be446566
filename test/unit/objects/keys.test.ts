/** A key with any content names an object in its bucket, and nothing else on the disk. */
import fc from "fast-check";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { pathOfKey } from "../../../emulator/objects/disk/volume/volume-path.ts";
import { openOnDisk } from "../../contract/objects/disk-subject.ts";
import { keysOf, put, textAt } from "../../contract/objects/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { sized } from "../../setup/size.ts";

/** All names below a directory. */
function everythingIn(directory: string): readonly string[] {
  return fs.readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}

const part = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "a",
    "A",
    "é",
    "e\u0301",
    "%2e%2e",
    "~",
    "-rf",
    "CON",
    "a\\b",
    " ",
  ),
  fc.string({ unit: anyCharacter, maxLength: 6 }).filter((text) => text.isWellFormed()),
);
const key = fc
  .array(part, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  .filter((text) => text !== "");

const AWKWARD = [
  "../../x",
  "/etc/passwd",
  "a//b",
  "a/",
  "a",
  "a/b",
  "A",
  "..",
  ".",
  "nul\0nul",
  "line\nbreak",
  "é",
  "e\u0301",
  "\u{1F600}",
  "k".repeat(1_024),
  "ü".repeat(512),
  `${"d/".repeat(511)}k`,
];

it("a bucket of an endpoint can hold any key, beside any other", async () => {
  await using subject = await openOnDisk("endpoint");
  const { bucket } = subject;
  for (const [index, name] of AWKWARD.entries()) await put(bucket, name, `${index}`);
  for (const [index, name] of AWKWARD.entries())
    expect(await textAt(bucket, name)).toBe(`${index}`);
  expect((await keysOf(bucket)).toSorted()).toEqual(AWKWARD.toSorted());
  for (const name of AWKWARD) await bucket.delete(name);
  expect(await keysOf(bucket)).toEqual([]);
});

it("no key of an endpoint's bucket leads to a file of another name or place", async () => {
  await using subject = await openOnDisk("endpoint");
  const { bucket, directory } = subject;
  const written = new Map<string, string>();
  const property = fc.asyncProperty(key, fc.string(), async (name, text) => {
    await put(bucket, name, text);
    written.set(name, text);
    expect(await textAt(bucket, name)).toBe(text);
  });
  await fc.assert(property, { numRuns: 100 });
  for (const [name, text] of written) expect(await textAt(bucket, name)).toBe(text);
  const names = everythingIn(directory).filter((name) => !name.startsWith("data/index.db"));
  for (const name of names) expect(name).toMatch(/^(data|data\/blobs(\/[0-9a-f-]{36})?|volume)$/);
});

it("a key of a volume is the path of its file, or is refused with the reason", async () => {
  using temporary = temporaryDirectory();
  await using subject = await openOnDisk("volume", path.join(temporary.path, "a/b/c"));
  const { bucket, volume } = subject;
  const property = fc.asyncProperty(key, async (name) => {
    const outcome = await put(bucket, name, name).then(
      () => "put",
      (error: unknown) => error,
    );
    if (outcome === "put") {
      expect(pathOfKey(name).problem).toBeUndefined();
      expect(fs.readFileSync(path.join(volume, name), "utf8")).toBe(name);
      expect(await keysOf(bucket)).toContain(name);
    } else {
      expect(outcome).toMatchObject({
        code: "InvalidObjectName",
        message: expect.stringContaining("no file in it can have this key: "),
      });
    }
  });
  await fc.assert(property, { numRuns: sized(50, 150) });
  const isInside = /^a(\/b(\/c(\/(volume|data)(\/.*)?)?)?)?$/s;
  for (const name of everythingIn(temporary.path)) expect(name).toMatch(isInside);
});

it.each([
  ["../x", '".." is no name of a file'],
  ["a/./b", '"." is no name of a file'],
  ["a//b", "an empty part"],
  ["/a", "an empty part"],
  ["a/", "an empty part"],
  ["a\0b", "the character NUL"],
  ["x".repeat(256), "more than 255 bytes"],
  [".sv-objects/x", "where unfinished uploads wait"],
])("no file of a volume can have the key %j, and the refusal says why", async (name, why) => {
  await using subject = await openOnDisk("volume");
  await expect(put(subject.bucket, name, "x")).rejects.toMatchObject({
    code: "InvalidObjectName",
    message: expect.stringContaining(why),
  });
  await expect(subject.bucket.head(name)).rejects.toHaveProperty("code", "NoSuchKey");
});
