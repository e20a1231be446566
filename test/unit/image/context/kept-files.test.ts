/** The files of a directory that go into an image. */
import { expect, test } from "vitest";
import { keptFiles } from "../../../../emulator/image/context/kept-files.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

test("without a .dockerignore all files are kept, hidden ones and empty directories too", async () => {
  await using files = await temporaryTree({ "a.txt": "12345", ".b": "1", "c/d": "1", "e/": "" });
  const { paths, sizeBytes } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual([".b", "a.txt", "c", "c/d", "e"]);
  expect(sizeBytes).toBe(7);
});

test("files that .dockerignore excludes are left out; its comments and blank lines are ignored", async () => {
  await using files = await temporaryTree({
    ".dockerignore": "# weights\n\n*.bin\ncache\n**/*.log\n",
    "m.bin": "",
    "cache/a": "",
    "x/y.log": "",
    "x/z.bin": "",
  });
  const { paths } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual([".dockerignore", "x", "x/z.bin"]);
});

test("a pattern with ! takes back a file, with the directories above it", async () => {
  await using files = await temporaryTree({
    ".dockerignore": "*\n!a/keep.txt\n",
    "a/keep.txt": "",
    "a/other.txt": "",
    "b.txt": "",
  });
  const { paths } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual(["a", "a/keep.txt"]);
});

test("a .dockerignore may include files that are left out by default", async () => {
  await using files = await temporaryTree({ ".dockerignore": "!.env\n", ".env": "", ".env.b": "" });
  const { paths } = await keptFiles(files.root, ["**/.env", "**/.env.*", ".dockerignore"]);
  expect([...paths]).toEqual([".env"]);
});
