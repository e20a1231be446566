/** Applies a change to an endpoint. A change that replaces workers raises the version. Pure. */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../../input/changed-fields.ts";
import { ENDPOINT_FIELDS } from "./endpoint-fields.ts";
import { type EndpointChanges, workersMinProblem } from "./endpoint-input.ts";
import { type Endpoint, scalerProblem } from "./endpoint.ts";
import { namesInPlace } from "../fields.ts";
import { namedVolumes } from "../network-volumes/network-volume.ts";
import { invalidRequest } from "../../service-error.ts";

const IN_PLACE = namesInPlace(ENDPOINT_FIELDS);

/**
 * Returns `present` itself if nothing changes.
 * @throws ServiceError `invalid_request` if the resulting endpoint is not valid as a whole
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
    // Numbers of jobs are whole numbers.
    scalerValue: scalerType === "REQUEST_COUNT" ? Math.ceil(scalerValue) : scalerValue,
    // An empty id removes the volume.
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

/** Whether workers started for `before` have to be replaced. */
export function endpointRolls(before: Endpoint, after: Endpoint): boolean {
  return changedFields(before, after).some((field) => !IN_PLACE.has(field));
}

/** The endpoint with the next version, which replaces its workers. */
export function rolled(endpoint: Endpoint): Endpoint {
  return { ...endpoint, version: endpoint.version + 1 };
}
