/** The counters of an endpoint after the ends of its jobs. */
import { expect, it } from "vitest";
import { countChange, NO_COUNTS } from "../../../../emulator/core/jobs/job-counts.ts";
import { jobIn } from "./sample-job.ts";

it.each([
  ["COMPLETED", { completed: 1 }],
  ["FAILED", { failed: 1 }],
  ["TIMED_OUT", { failed: 1 }],
  ["CANCELLED", {}],
] as const)("a job that ends as %s counts as %j", (status, counted) => {
  const running = jobIn("IN_PROGRESS");
  const before = countChange(NO_COUNTS, undefined, running);
  expect(before).toEqual({ ...NO_COUNTS, inProgress: 1 });
  expect(countChange(before, running, jobIn(status))).toEqual({ ...NO_COUNTS, ...counted });
});
