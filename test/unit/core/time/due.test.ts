/** Due events in words. */
import { expect, test } from "vitest";
import { dueInWords } from "../../../../emulator/core/time/due.ts";

test.each([
  [1, "the lease of the running job runs out, unless its worker renews it"],
  [3, "the first of the leases of 3 running jobs runs out, unless its worker renews it"],
])("the text for the leases of %d running jobs", (jobs, sentence) => {
  expect(dueInWords({ type: "leases", jobs })).toBe(sentence);
});
