/** Query parameters that filter a list of pods (live; unknown ones are ignored). */
import { COMPUTE_TYPES } from "../resources/endpoints/endpoint.ts";
import { oneOf, text } from "../input/input-fields.ts";
import { type Pod, POD_STATUSES } from "./pod.ts";
import { type QueryParameters, readQuery, repeatable } from "../input/query-parameters.ts";

export const POD_FILTERS = {
  computeType: oneOf(COMPUTE_TYPES).optional(),
  cpuFlavorId: repeatable(),
  dataCenterId: repeatable(),
  desiredStatus: oneOf(POD_STATUSES).optional(),
  endpointId: text().max(191).optional(),
  gpuTypeId: repeatable(),
  id: text().optional(),
  imageName: text().optional(),
  name: text().max(191).optional(),
  networkVolumeId: text().optional(),
  templateId: text().optional(),
};

/** @throws ServiceError `invalid_request` */
export function readPodFilter(query: QueryParameters): (pod: Pod) => boolean {
  const wanted = readQuery(POD_FILTERS, query);
  return (pod) =>
    // Unlike a worker, a pod belongs to no endpoint.
    wanted.endpointId === undefined &&
    isWanted(wanted.computeType, [pod.computeType]) &&
    isWanted(wanted.desiredStatus, [pod.desiredStatus]) &&
    isWanted(wanted.id, [pod.id]) &&
    isWanted(wanted.imageName, [pod.imageName]) &&
    isWanted(wanted.name, [pod.name]) &&
    isWanted(wanted.networkVolumeId, [pod.networkVolumeId]) &&
    isWanted(wanted.templateId, [pod.templateId]) &&
    isWanted(wanted.cpuFlavorId, pod.cpuFlavorIds ?? []) &&
    isWanted(wanted.dataCenterId, pod.dataCenterIds ?? []) &&
    isWanted(wanted.gpuTypeId, pod.gpuTypeIds);
}

/** Without wanted values everything matches. With several, one has to match. */
function isWanted(
  wanted: string | readonly string[] | undefined,
  has: readonly (string | undefined)[],
): boolean {
  if (wanted === undefined) return true;
  const wishes = typeof wanted === "string" ? [wanted] : wanted;
  return wishes.some((wish) => has.includes(wish));
}
