/** Turns the test runner's report into the last line of a CI run: `N passed, N failed, N skipped`. */
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { z } from "zod";

const reportShape = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/**
 * Counts the tests of all files and projects. A file that failed without a failed test (it could not be loaded, or a hook
 * threw) counts as one failure. A run without a passed test also counts as one. @throws ZodError if the text is not such a
 * report
 */
export function closingLine(reportText: string): string {
  const { testResults } = reportShape.parse(JSON.parse(reportText));
  let [passed, failed, skipped] = [0, 0, 0];
  for (const file of testResults) {
    const statuses = file.assertionResults.map((test) => test.status);
    if (file.status === "failed" && !statuses.includes("failed")) failed += 1;
    for (const status of statuses) {
      if (status === "passed") passed += 1;
      else if (status === "failed") failed += 1;
      else skipped += 1;
    }
  }
  if (passed + failed === 0) failed = 1;
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(closingLine(fs.readFileSync(process.argv[2] ?? ".reports/vitest.json", "utf8")));
}
