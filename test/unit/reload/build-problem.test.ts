/** Errors of a build in text: the place, the line and a mark below it. */
import { expect, test } from "vitest";
import { describeProblems } from "../../../emulator/reload/build-problem.ts";

const PLACE = {
  file: "/app/handler.ts",
  line: 12,
  column: 11,
  length: 3,
  lineText: "\tconst a = b c d;",
};

test("a problem is shown with its place, its line and a mark, tabs kept", () => {
  expect(describeProblems([{ text: 'Expected ";" but found "c"', place: PLACE }])).toBe(
    [
      '/app/handler.ts:12:11: Expected ";" but found "c"',
      "  12 | \tconst a = b c d;",
      "     | \t         ^^^",
    ].join("\n"),
  );
});

test("a problem without a place is shown without one, and a place between two characters has one mark", () => {
  const end = { ...PLACE, line: 1, column: 1, length: 0, lineText: "x" };
  expect(describeProblems([{ text: "no file" }, { text: "unexpected end", place: end }])).toBe(
    ["no file", "/app/handler.ts:1:1: unexpected end", "  1 | x", "    | ^"].join("\n"),
  );
});

test("a line that is too long is left out, and so are problems after the tenth", () => {
  const minified = { ...PLACE, lineText: "x".repeat(1_000) };
  const shown = describeProblems(
    Array.from({ length: 12 }, () => ({ text: "bad", place: minified })),
  );
  expect(shown.split("\n")).toEqual([
    ...Array<string>(10).fill("/app/handler.ts:12:11: bad"),
    "and 2 more",
  ]);
});
