/** Lists the test files that took longest, from the report that the test runner wrote. */
import path from "node:path";
import { z } from "zod";

/** Maximum number of files that are listed. */
const SHOWN = 30;

const reportShape = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/**
 * A line for each file, slowest first. A file's time is from the beginning of its first test to the end of its last one.
 *
 * @throws ZodError if the text is not such a report
 */
export function slowestFiles(reportText: string, root: string): readonly string[] {
  const { testResults } = reportShape.parse(JSON.parse(reportText));
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SHOWN)
    .map(
      ({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path.relative(root, name)}`,
    );
}
