/** The list of the slowest files at the end of a test run. */
import path from "node:path";
import { expect, test } from "vitest";
import { slowestFiles } from "../../../scripts/slowest-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

function reportOf(files: readonly (readonly [string, number, number])[]): string {
  const testResults = files.map(([name, startTime, endTime]) => ({
    ...{ name: path.join(ROOT, name), startTime, endTime, status: "passed", assertionResults: [] },
  }));
  return JSON.stringify({ numTotalTests: 0, testResults });
}

test("the slowest files come first, with their seconds and relative paths", () => {
  const report = reportOf([
    ["test/unit/a.test.ts", 1_000, 1_260.4],
    ["test/e2e/b.test.ts", 5_000, 17_340],
    ["test/unit/c.test.ts", 900, 2_900],
  ]);
  expect(slowestFiles(report, ROOT)).toEqual([
    "   12.3 s  test/e2e/b.test.ts",
    "    2.0 s  test/unit/c.test.ts",
    "    0.3 s  test/unit/a.test.ts",
  ]);
});

test("the list has 30 files at most", () => {
  const files = Array.from({ length: 31 }, (_, at) => [`test/${at}.test.ts`, 0, at * 100] as const);
  const shown = slowestFiles(reportOf(files), ROOT);
  expect(shown).toHaveLength(30);
  expect(shown.at(-1)).toContain("test/1.test.ts");
});

test("a file of two sets is listed once for each", () => {
  const twice = reportOf([
    ["test/unit/a.test.ts", 0, 1_000],
    ["test/unit/a.test.ts", 0, 2_000],
  ]);
  expect(slowestFiles(twice, ROOT)).toHaveLength(2);
});

test("a text other than a report is refused", () => {
  expect(() => slowestFiles("{}", ROOT)).toThrow(/testResults/);
});
