/** Checks that the network volumes that an endpoint or a pod names exist. */
import { type VolumeChoice, volumesOf } from "../../core/resources/network-volume.ts";
import { invalidRequest } from "../../core/service-error.ts";
import type { StoreView } from "../../store/store.ts";

/** To be called in the transaction that stores it. @throws ServiceError invalid_request */
export async function checkVolumes(tx: StoreView, choice: VolumeChoice): Promise<void> {
  const problems: string[] = [];
  for (const id of volumesOf(choice)) {
    if ((await tx.record("networkVolume", id)) !== undefined) continue;
    const field = choice.networkVolumeId === id ? "networkVolumeId" : "networkVolumeIds";
    problems.push(`${field} names no network volume of this service: ${JSON.stringify(id)}`);
  }
  if (problems.length > 0) throw invalidRequest(problems);
}
