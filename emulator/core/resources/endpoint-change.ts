/** Applies a change to an endpoint: its version grows if its workers are to be replaced. Pure. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../input/changed-fields.ts";
import { ENDPOINT_FIELDS } from "./endpoint-fields.ts";
import { type EndpointChanges, workersMinProblem } from "./endpoint-input.ts";
import { type Endpoint, scalerProblem } from "./endpoint.ts";
import { namesInPlace } from "./fields.ts";
import { namedVolumes } from "./network-volume.ts";
import { invalidRequest } from "../service-error.ts";

const IN_PLACE = namesInPlace(ENDPOINT_FIELDS);

/**
 * Answers `present` itself if nothing changes.
 *
 * @throws ServiceError `invalid_request` if the endpoint as a whole would make no sense
 */
export function changeEndpoint(present: Endpoint, changes: EndpointChanges): Endpoint {
  const { retries = {}, ...others } = defined(changes);
  const { networkVolumeId, networkVolumeIds, minCudaVersion, ...merged } = {
    ...present,
    ...others,
  };
  const { scalerType, scalerValue } = merged;
  const wanted: Endpoint = {
    ...merged,
    // Jobs are counted whole.
    scalerValue: scalerType === "REQUEST_COUNT" ? Math.ceil(scalerValue) : scalerValue,
    // An empty one takes it away.
    ...(minCudaVersion !== undefined && minCudaVersion !== "" && { minCudaVersion }),
    ...namedVolumes({ networkVolumeId, networkVolumeIds }),
    retries: { ...present.retries, ...defined(retries) },
  };
  const problem = workersMinProblem(wanted);
  if (problem !== undefined) throw invalidRequest([`workersMin ${problem}`]);
  const wrongScaler = scalerProblem(wanted.type, wanted.scalerType);
  if (wrongScaler !== undefined) throw invalidRequest([`scalerType ${wrongScaler}`]);
  if (changedFields(present, wanted).length === 0) return present;
  return endpointRolls(present, wanted) ? rolled(wanted) : wanted;
}

/** Whether workers that were started for `before` are to be replaced. */
export function endpointRolls(before: Endpoint, after: Endpoint): boolean {
  return changedFields(before, after).some((field) => !IN_PLACE.has(field));
}

/** The endpoint with the next version: workers of the present one are replaced. */
export function rolled(endpoint: Endpoint): Endpoint {
  return { ...endpoint, version: endpoint.version + 1 };
}
