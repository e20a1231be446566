/** The replicas that share the store. */
import type { Replicas } from "../../service/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";

/** Interval between reads, ms: no event says that a replica came or went. */
const READ_MS = 5_000;

export function useReplicas(): Reading<Replicas> {
  return useRead<"listReplicas">("emulator/replicas", { everyMs: READ_MS });
}

/** Whether a replica does not answer, or a partition has no owner. */
export function replicasNeedLook({ replicas, unowned }: Replicas): boolean {
  return unowned.length > 0 || replicas.some(({ workers }) => workers === undefined);
}
