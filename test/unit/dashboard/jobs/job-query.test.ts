/** The query above the list of jobs, as parameters for the service. */
import { expect, test } from "vitest";
import {
  parametersOf,
  readJobQuery,
  withWord,
} from "../../../../emulator/dashboard/pages/jobs/job-query.ts";

const NOW = Date.parse("2026-03-01T12:00:30.000Z");
const read = (text: string) => readJobQuery(text, NOW);

test.each([
  ["", {}],
  ["status:failed", { status: ["FAILED"] }],
  [
    "status:queued,RUNNING,timed_out,failed,failed",
    { status: ["IN_QUEUE", "IN_PROGRESS", "TIMED_OUT", "FAILED"] },
  ],
  ["endpoint:x took:>5s waited:>=1m", { endpointId: "x", minExecution: 5_000, minDelay: 60_000 }],
  ["took:250", { minExecution: 250 }],
  ["took:>1.5s", { minExecution: 1_500 }],
  ["kind:sync", { kind: "sync" }],
  ["since:10m", { since: "2026-03-01T11:50:00.000Z" }],
  ["until:2026-01-01", { until: "2026-01-01T00:00:00.000Z" }],
  ["out of memory", { search: "out of memory" }],
  ['"cuda  error" endpoint:"my e"', { search: "cuda  error", endpointId: "my e" }],
  ["https://a.test/x", { search: "https://a.test/x" }],
])("%s", (text, filter) => {
  expect(read(text)).toEqual({ filter, problems: [] });
});

test.each([
  ["status:lost", "“lost” is not a status"],
  ["took:soon", "took:soon is not a duration"],
  ["since:never", "since:never is not a time"],
  ["kind:other", "neither async nor sync"],
  ["endpoint:", "needs the id"],
  ["stauts:failed", "there is no such word"],
])("%s is reported", (text, problem) => {
  expect(read(`${text} rest`).problems).toEqual([expect.stringContaining(problem)]);
});

test("equal queries within a minute give equal parameters, so that pages fit together", () => {
  const later = readJobQuery("since:1h", NOW + 20_000);
  expect(read("since:1h")).toEqual(later);
});

test("the filters of a query become the service's parameters", () => {
  const { filter } = read("status:failed,cancelled took:>5s x");
  expect(parametersOf(filter)).toEqual({
    status: "FAILED,CANCELLED",
    minExecution: "5000",
    search: "x",
  });
});

test("a word is set in the text or removed from it, and the others stay", () => {
  expect(withWord('endpoint:x status:failed "a b"', "status", "running")).toBe(
    'status:running endpoint:x "a b"',
  );
  expect(withWord("status:failed text", "status", "")).toBe("text");
});
