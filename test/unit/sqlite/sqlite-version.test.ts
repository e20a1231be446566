/** Versions of SQLite with a warning. */
import { expect, it } from "vitest";
import { sqliteDefect } from "../../../emulator/sqlite/sqlite-version.ts";

const told = (node: string, sqlite: string) => ({ ...process.versions, node, sqlite });

it.each(["3.51.2", "3.50.4", "3.9.9", "2.99.99", "3.51"])(
  "the version %s has a warning",
  (version) => {
    expect(sqliteDefect(told("24.14.1", version))).toBe(
      `Node 24.14.1 has SQLite ${version}, which has a known defect that can damage databases (fixed in 3.51.3): use Node 24.15 or newer`,
    );
  },
);

it.each(["3.51.3", "3.51.10", "3.53.4", "4.0.0"])("the version %s has no warning", (version) => {
  expect(sqliteDefect(told("24.15.0", version))).toBeUndefined();
});

it("this Node's version has no warning", () => {
  expect(sqliteDefect(process.versions)).toBeUndefined();
});
