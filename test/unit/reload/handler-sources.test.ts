/** A changed path affects a handler if the file is part of it, configures it, or was missing. */
import { describe, expect, test } from "vitest";
import { counts, directoriesOf } from "../../../emulator/reload/handler-sources.ts";

const SOURCES = {
  files: new Set([
    "/app/handler.ts",
    "/app/lib/part.ts",
    "/shared/src/index.ts",
    "/app/words.json",
  ]),
  configs: new Set(["/app/package.json", "/tsconfig.json"]),
  missing: new Set<string>(),
};

describe("a change reloads a handler if it is in", () => {
  test.each([
    ["the handler", "/app/handler.ts"],
    ["an import of the handler", "/app/lib/part.ts"],
    ["a package of the workspace", "/shared/src/index.ts"],
    ["imported data", "/app/words.json"],
    ["the manifest above it", "/app/package.json"],
    ["the compiler's settings above it", "/tsconfig.json"],
    ["new settings nearer to a file", "/app/lib/tsconfig.json"],
  ])("%s", (_, path) => {
    expect(counts(path, SOURCES)).toBe(true);
  });

  test.each([
    ["a file beside it", "/app/notes.md"],
    ["source without an importer", "/app/lib/other.ts"],
    ["a file that the handler reads", "/app/lib/corpus.txt"],
    ["the manifest of another project", "/elsewhere/package.json"],
    ["an editor's copy", "/app/handler.ts~"],
    ["the directory", "/app/lib"],
  ])("a change of %s does not reload a handler", (_, path) => {
    expect(counts(path, SOURCES)).toBe(false);
  });

  test("a file with its name in another Unicode form, as on Macs", () => {
    const [typed, told] = ["/app/größe", "/app/größe".normalize("NFD")];
    expect(told).not.toBe(typed);
    const none = {
      files: new Set<string>(),
      configs: new Set<string>(),
      missing: new Set<string>(),
    };
    for (const [known, heard] of [
      [typed, told],
      [told, typed],
    ] as const) {
      const file = new Set([`${known}/a.ts`]);
      expect(counts(`${heard}/a.ts`, { ...none, files: file })).toBe(true);
      expect(counts(`${heard}/a.ts`, { ...none, configs: file })).toBe(true);
      expect(counts(`${heard}/a.ts`, { ...none, missing: new Set([`${known}/a`]) })).toBe(true);
      expect(counts(heard, { ...none, missing: new Set([`${known}/a`]) })).toBe(true);
      expect(counts(`${heard}/tsconfig.json`, { ...none, files: file })).toBe(true);
      expect(counts(`${heard}/b.ts`, { ...none, files: file })).toBe(false);
    }
  });

  test("an import that was missing and now exists, with any ending or as a directory", () => {
    const sources = { ...SOURCES, missing: new Set(["/app/lib/new", "/app/more/deep/x"]) };
    for (const path of ["/app/lib/new.ts", "/app/lib/new.json", "/app/lib/new", "/app/more"]) {
      expect(counts(path, sources), path).toBe(true);
    }
    for (const path of ["/app/lib/newer.ts", "/app/mo", "/app/deep"]) {
      expect(counts(path, sources), path).toBe(false);
    }
  });
});

test("exactly the directories of these files are watched", () => {
  const missing = new Set(["/app/more/x"]);
  const directories = ["/app", "/app/lib", "/app/more", "/shared/src", "/"];
  expect(directoriesOf({ ...SOURCES, missing })).toEqual(new Set(directories));
});
