/** A project is written whole or not at all, and never over existing files. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { ProjectPlaceError, writeProject } from "../../../emulator/starter/write-project.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const FILES = new Map([
  ["a.ts", "a"],
  [".gitignore", "b"],
]);

test("a missing directory is created with its parents", async () => {
  await using tree = await temporaryTree({});
  await writeProject(tree.path("x/y"), FILES, "x/y");
  expect(fs.readFileSync(tree.path("x/y/a.ts"), "utf8")).toBe("a");
  expect(fs.readFileSync(tree.path("x/y/.gitignore"), "utf8")).toBe("b");
});

test("files of other names in the directory stay as they are", async () => {
  await using tree = await temporaryTree({ "x/LICENSE": "mine" });
  await writeProject(tree.path("x"), FILES, "x");
  expect(fs.readdirSync(tree.path("x")).toSorted()).toEqual([".gitignore", "LICENSE", "a.ts"]);
  expect(fs.readFileSync(tree.path("x/LICENSE"), "utf8")).toBe("mine");
});

test("existing files are named, and nothing is written", async () => {
  await using tree = await temporaryTree({ "x/.gitignore": "mine" });
  const written = writeProject(tree.path("x"), FILES, "x");
  await expect(written).rejects.toThrow(ProjectPlaceError);
  await expect(written).rejects.toThrow("x has files that would be overwritten: .gitignore; ");
  expect(fs.readdirSync(tree.path("x"))).toEqual([".gitignore"]);
});

test("a broken link is in the way, and so is a directory", async () => {
  await using tree = await temporaryTree({ "x/.gitignore/": "" });
  fs.symlinkSync(tree.path("elsewhere"), tree.path("x/a.ts"));
  await expect(writeProject(tree.path("x"), FILES, "x")).rejects.toThrow(": .gitignore, a.ts; ");
  expect(fs.existsSync(tree.path("elsewhere"))).toBe(false);
});

test("if a file cannot be written, none is left", async () => {
  await using tree = await temporaryTree({ "there/mine": "" });
  const files = new Map([...FILES, ["no/such/folder", "c"]]);
  const places = [tree.path("there"), tree.path("new/place")];
  for (const place of places) {
    await expect(writeProject(place, files, "it")).rejects.toThrow("it cannot be written: ENOENT");
  }
  expect(fs.readdirSync(tree.root)).toEqual(["there"]);
  expect(fs.readdirSync(tree.path("there"))).toEqual(["mine"]);
});

test("a file instead of the directory is refused", async () => {
  await using tree = await temporaryTree({ x: "" });
  await expect(writeProject(tree.path("x"), FILES, "x")).rejects.toThrow("x cannot be written");
});
