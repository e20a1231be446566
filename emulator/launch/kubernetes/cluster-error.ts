/** What the API server of a cluster refused, or why it could not be asked. */

export interface ClusterErrorFacts extends ErrorOptions {
  /** HTTP status of its answer; absent where there was none. */
  readonly status?: number | undefined;
  /** Its word for what is wrong, like `AlreadyExists`. */
  readonly reason?: string | undefined;
}

export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly status: number | undefined;
  readonly reason: string | undefined;

  /** @param message as the API server said it, or a sentence on why it gave no answer */
  constructor(message: string, { status, reason, ...options }: ClusterErrorFacts = {}) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

/** Whether the error says that there is no such thing, or a successor of the same name. */
export function isGone(error: unknown): boolean {
  return error instanceof ClusterError && (error.status === 404 || error.status === 409);
}

/** Whether the versions that were asked for are too old to be told of: what there is has to be listed again. */
export function isTooOld(error: unknown): boolean {
  return error instanceof ClusterError && (error.status === 410 || error.reason === "Expired");
}

const BROKEN_OFF = "BrokenOff";

/** An answer that went on has ended before its end. */
export function brokenOff(error: unknown): ClusterError {
  const said = error instanceof Error ? error.message : String(error);
  const reason = BROKEN_OFF;
  return new ClusterError(`the Kubernetes API broke off: ${said}`, { reason, cause: error });
}

/** Nothing is known to be wrong with the API server: connections that are held open end now and then. */
export function isBrokenOff(error: unknown): boolean {
  return error instanceof ClusterError && error.reason === BROKEN_OFF;
}

/** @param asked what it was asked, for example `GET /api/v1/namespaces/gpu/pods` */
export function asClusterError(error: unknown, server: string, asked: string): ClusterError {
  if (error instanceof ClusterError) return error;
  const said = error instanceof Error ? error.message || String(error) : String(error);
  return new ClusterError(`the Kubernetes API at ${server} does not answer (${asked}): ${said}`, {
    cause: error,
  });
}
