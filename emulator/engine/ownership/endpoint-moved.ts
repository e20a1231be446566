/** The refusal of what another process decides. */
import { ServiceError } from "../../core/service-error.ts";

/** An owner is found in about that time, if it is not known already. */
const RETRY_AFTER_MS = 1_000;

export function endpointMoved(endpointId: string): ServiceError {
  return new ServiceError(
    "endpoint_moved",
    `the endpoint "${endpointId}" is moving to another emulator of the same store, or has moved; try again`,
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

export function isMoved(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "endpoint_moved";
}
