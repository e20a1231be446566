/** The health of several replicas. */
import { expect, test } from "vitest";
import { replicasNeedLook } from "../../../../emulator/dashboard/pages/replicas/replica-health.ts";

const one = { id: "one", version: "1", startedAt: "", endpoints: 1, workers: 0, running: 0 };

test("replicas are marked when one does not answer, or a partition has no owner", () => {
  const { workers: _, ...silent } = one;
  const of = (replicas: readonly (typeof one | typeof silent)[], unowned: readonly number[]) =>
    replicasNeedLook({ answeredBy: "one", replicas, unowned });
  expect(of([one, one], [])).toBe(false);
  expect(of([one, silent], [])).toBe(true);
  expect(of([one, one], [7])).toBe(true);
});
