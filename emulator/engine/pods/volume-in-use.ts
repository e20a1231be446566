/** Refuses to delete what a pod uses. */
import type { Pod } from "../../core/pods/pod.ts";
import type { StoreView } from "../../store/store.ts";
import { inUse } from "../resources/in-use.ts";

/** To be called in the transaction that deletes `what`. @throws ServiceError in_use when `uses` is true of a pod */
export async function refuseIfPodsUse(
  tx: StoreView,
  what: string,
  uses: (pod: Pod) => boolean,
): Promise<void> {
  const users = (await tx.records("pod")).filter(uses).map(({ id }) => id);
  if (users.length > 0) throw inUse({ what, kind: "pod", users });
}
