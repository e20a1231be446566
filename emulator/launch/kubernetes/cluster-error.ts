/** Errors of requests to a cluster's API server: its refusals, and failures to reach it. */

export interface ClusterErrorFacts extends ErrorOptions {
  /** HTTP status of the answer; absent without an answer. */
  readonly status?: number | undefined;
  /** The server's code for the problem, like `AlreadyExists`. */
  readonly reason?: string | undefined;
}

export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly status: number | undefined;
  readonly reason: string | undefined;

  /** @param message the API server's own message, or a sentence that says why it did not answer */
  constructor(message: string, { status, reason, ...options }: ClusterErrorFacts = {}) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

/** Whether the object is gone, or another one has its name now. */
export function isGone(error: unknown): boolean {
  return error instanceof ClusterError && (error.status === 404 || error.status === 409);
}

/** Whether the requested version is too old for a watch. The objects must be listed again then. */
export function isTooOld(error: unknown): boolean {
  return error instanceof ClusterError && (error.status === 410 || error.reason === "Expired");
}

const BROKEN_OFF = "BrokenOff";

/** The connection ended in the middle of a streamed answer. */
export function brokenOff(error: unknown): ClusterError {
  const said = error instanceof Error ? error.message : String(error);
  const reason = BROKEN_OFF;
  return new ClusterError(`the Kubernetes API broke off: ${said}`, { reason, cause: error });
}

/** Whether a connection ended in the middle. This is normal for long-lived connections. */
export function isBrokenOff(error: unknown): boolean {
  return error instanceof ClusterError && error.reason === BROKEN_OFF;
}

/** @param asked the request, for example `GET /api/v1/namespaces/gpu/pods` */
export function asClusterError(error: unknown, server: string, asked: string): ClusterError {
  if (error instanceof ClusterError) return error;
  const said = error instanceof Error ? error.message || String(error) : String(error);
  return new ClusterError(`the Kubernetes API at ${server} does not answer (${asked}): ${said}`, {
    cause: error,
  });
}
