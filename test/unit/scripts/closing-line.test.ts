/** The closing line of a CI run, which must never look better than the run. */
import { expect, test } from "vitest";
import { closingLine } from "../../../scripts/closing-line.ts";

function report(...files: readonly (readonly [status: string, ...tests: string[]])[]): string {
  const testResults = files.map(([status, ...tests]) => ({
    status,
    assertionResults: tests.map((outcome) => ({ status: outcome })),
  }));
  return JSON.stringify({ testResults });
}

test("the closing line sums the tests of all files", () => {
  const text = report(["passed", "passed", "passed"], ["failed", "failed", "passed"]);
  expect(closingLine(text)).toBe("3 passed, 1 failed, 0 skipped");
});

test("pending, todo and disabled tests all count as skipped", () => {
  const text = report(["passed", "passed", "pending", "todo", "skipped", "disabled"]);
  expect(closingLine(text)).toBe("1 passed, 0 failed, 4 skipped");
});

test("a file that could not be loaded counts as a failure", () => {
  expect(closingLine(report(["passed", "passed"], ["failed"]))).toBe(
    "1 passed, 1 failed, 0 skipped",
  );
});

test("a run without any test is a failure", () => {
  expect(closingLine(report())).toBe("0 passed, 1 failed, 0 skipped");
});

test("a text other than a report is refused", () => {
  expect(() => closingLine("{}")).toThrow(/testResults/);
});
