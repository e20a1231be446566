/** Says of several replicas whether something is wrong. */
import type { Replicas } from "../../service/generated/answers.ts";

/** Whether one of them does not answer, or nobody has some part. */
export function replicasNeedLook({ replicas, unowned }: Replicas): boolean {
  return unowned.length > 0 || replicas.some(({ workers }) => workers === undefined);
}
