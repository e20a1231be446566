/** Sends one request to an S3 service: retries it where that may help, and turns its failure into a StorageError. */
import { type RetryTerms, withRetries } from "../retry.ts";
import type { StorageError } from "../storage-error.ts";
import { type Fault, mayPass, readFault } from "./fault.ts";

export interface CallTerms {
  readonly retry: RetryTerms;
  readonly signal: AbortSignal;
  /** Says what could not be done. */
  readonly explain: (fault: Fault) => StorageError;
}

/** @throws StorageError, or the signal's reason when it aborts */
export async function call<T>(
  send: () => Promise<T>,
  { retry, signal, explain }: CallTerms,
): Promise<T> {
  try {
    return await withRetries(send, mayPass, retry, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw explain(readFault(thrown));
  }
}
