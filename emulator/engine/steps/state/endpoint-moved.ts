/** Refusals of requests for endpoints of another process: `endpoint_moved`. */
import { ServiceError } from "../../../core/service-error.ts";

/** The subject of ownership: an endpoint, or everything that belongs to no endpoint. */
export type Owned = { readonly endpointId: string } | "service";

/** Usual time until the new owner is known, ms. */
const RETRY_AFTER_MS = 1_000;

export function endpointMoved(owned: Owned): ServiceError {
  return refusal(`no reachable replica has ${named(owned)} at the moment; try again`);
}

/** The refusal of a request that may have been carried out. */
export function unknownEnd(owned: Owned): ServiceError {
  return refusal(
    `the replica that had ${named(owned)} went away before it answered; it may or may not have carried out the request`,
  );
}

export function isMoved(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "endpoint_moved";
}

function refusal(message: string): ServiceError {
  return new ServiceError("endpoint_moved", message, { retryAfterMs: RETRY_AFTER_MS });
}

function named(owned: Owned): string {
  return owned === "service" ? "the pods" : `the endpoint "${owned.endpointId}"`;
}
