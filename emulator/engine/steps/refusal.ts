/** Turns failures of the store into errors for the caller. */
import { ServiceError } from "../../core/service-error.ts";
import {
  StoreClosedError,
  StoreDamagedError,
  StoreFullError,
  StoreLostError,
  StoreUnusableError,
} from "../../core/store-error.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import { PartitionsLostError, RecordsMovedError } from "../../store/store.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** Returns the refusal for a failure of the storage, and any other error unchanged. */
export function refusalOf(error: unknown, log: EngineLog): unknown {
  const options = { cause: error };
  if (error instanceof StoreFullError) {
    const message = `the data directory is full: ${error.message}`;
    return new ServiceError("storage_full", message, options);
  }
  if (error instanceof StoreClosedError) {
    return new ServiceError("shutting_down", "the service is stopping", options);
  }
  if (error instanceof StoreDamagedError || error instanceof PayloadDamagedError) {
    return new ServiceError("data_damaged", error.message, options);
  }
  if (error instanceof StoreLostError) {
    const message = `nothing can be stored: ${error.message}`;
    return new ServiceError("storage_failed", message, options);
  }
  if (error instanceof PartitionsLostError || error instanceof RecordsMovedError)
    return new ServiceError("storage_busy", `${error.message}, again and again`, {
      ...options,
      retryAfterMs: 1_000,
    });
  if (error instanceof StoreUnusableError) {
    log.error({ err: error }, "the changes could not be stored");
    return new ServiceError("storage_failed", error.message, options);
  }
  return error;
}

/**
 * Resolves with the committed value. Rejects with the failure of the store itself, because the refusal is for clients of the
 * interface.
 */
export function orCause<T>(committed: Promise<T>): Promise<T> {
  return committed.catch((error: unknown) => {
    throw error instanceof ServiceError ? (error.cause ?? error) : error;
  });
}
