/** Checks that the network volumes named by an endpoint or pod exist. */
import {
  type VolumeChoice,
  volumesOf,
} from "../../../core/resources/network-volumes/network-volume.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { Step } from "../../steps/step.ts";

/** Call it in the step that stores the resource. @throws ServiceError invalid_request */
export function checkVolumes(step: Pick<Step, "record" | "records">, choice: VolumeChoice): void {
  const problems: string[] = [];
  for (const id of volumesOf(choice)) {
    if (step.record("networkVolume", id) !== undefined) continue;
    const field = choice.networkVolumeId === id ? "networkVolumeId" : "networkVolumeIds";
    problems.push(`${field} names no network volume of this service: ${JSON.stringify(id)}`);
  }
  if (problems.length > 0) throw invalidRequest(problems);
}
