/** Bytes that a browser loads of the built dashboard, gzipped: at first, and in all. */
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = path.resolve(import.meta.dirname, "../../../dist/emulator/dashboard");

const FIRST_LOAD_MAX = 90_000;
const EVERYTHING_MAX = 210_000;

const isServed = (name: string) => /\.(?:html|js|css)$/u.test(name);
/** Folder of the build. */
const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter(isServed) : [];
const sizeOf = (files: Iterable<string>) =>
  [...files].reduce(
    (bytes, name) => bytes + gzipSync(fs.readFileSync(path.join(folder, name))).length,
    0,
  );

/** A file with the imports that it needs before it runs. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = fs.readFileSync(path.join(folder, name), "utf8");
  for (const [, imported = ""] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/gu)) {
    if (names.includes(imported)) loadedWith(imported, found);
  }
  return found;
}

/** The page, with the files that it refers to. */
function firstLoad(): Set<string> {
  const html = fs.readFileSync(path.join(folder, "page.html"), "utf8");
  const files = Array.from(html.matchAll(/"ui\/([\w.-]+)"/gu), ([, name = ""]) => name);
  const found = new Set(["page.html"]);
  for (const name of files) loadedWith(name, found);
  return found;
}

test("the first page load takes 90 kB at most, without the editor", () => {
  const loaded = firstLoad();
  expect(loaded.size).toBeGreaterThan(2);
  expect(sizeOf(loaded)).toBeLessThanOrEqual(FIRST_LOAD_MAX);
  expect([...loaded].some((name) => name.startsWith("editor-"))).toBe(false);
});

test("all files together take 210 kB at most", () => {
  expect(names.some((name) => name.startsWith("editor-"))).toBe(true);
  expect(sizeOf(names)).toBeLessThanOrEqual(EVERYTHING_MAX);
});
