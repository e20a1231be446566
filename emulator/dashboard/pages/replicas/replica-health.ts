/** The health of the replicas that share a store. Pure. */
import type { Replicas } from "../../../../runtime/protocol/generated/answers.ts";

/** Whether a replica does not answer, or a partition has no owner. */
export function replicasNeedLook({ replicas, unowned }: Replicas): boolean {
  return unowned.length > 0 || replicas.some(({ workers }) => workers === undefined);
}
