/** The errors of calls, except the refusals of the service (service-error.ts) and failed jobs (job-error.ts). */
import type { JobStatus } from "../../protocol/job-status.ts";

/** The base class of all errors of this client. `code` never changes between versions; the message may change. */
export abstract class ClientError extends Error {
  /** Snake case; for refusals of the service, the service's own code. */
  abstract readonly code: string;
}

/** `createClient` or a call got an unusable argument: an invalid base URL, no key, or no endpoint id. */
export class ConfigurationError extends ClientError {
  override readonly name = "ConfigurationError";
  override readonly code = "configuration";
}

/** The client was closed before the call or during it. */
export class ClientClosedError extends ClientError {
  override readonly name = "ClientClosedError";
  override readonly code = "client_closed";

  constructor() {
    super("The client has been closed.");
  }
}

/**
 * No answer came: the service cannot be reached, the connection broke, or the answer took too long. `cause` is the
 * error of the connection.
 */
export class ConnectionError extends ClientError {
  override readonly name = "ConnectionError";
  override readonly code = "connection_failed";
  /** False if the request certainly never reached the service: it is then safe to send a submission again. */
  readonly mayHaveBeenSent: boolean;

  constructor(message: string, mayHaveBeenSent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayHaveBeenSent = mayHaveBeenSent;
  }
}

/** The answer does not match the job interface. The base URL may lead to another program. */
export class InvalidResponseError extends ClientError {
  override readonly name = "InvalidResponseError";
  override readonly code = "invalid_response";
}

/** `timeoutMs` of `wait` or `runSync` passed before the job ended. The job goes on: wait again, or cancel it. */
export class WaitTimeoutError extends ClientError {
  override readonly name = "WaitTimeoutError";
  override readonly code = "wait_timeout";
  readonly jobId: string;
  readonly timeoutMs: number;
  /** The last known status of the job. Absent if no status was received. */
  readonly lastStatus: JobStatus | undefined;

  constructor(jobId: string, timeoutMs: number, lastStatus: JobStatus | undefined) {
    const state = lastStatus === undefined ? "has not answered" : `is still ${lastStatus}`;
    super(`Job ${jobId} ${state} after ${timeoutMs} ms. It goes on: wait again, or cancel it.`);
    this.jobId = jobId;
    this.timeoutMs = timeoutMs;
    this.lastStatus = lastStatus;
  }
}

/**
 * The job was started again while its stream was read, so the chunks so far belong to an attempt that no longer counts. Thrown
 * only without `onRestart`: with it, the stream goes on with the new attempt.
 */
export class StreamRestartedError extends ClientError {
  override readonly name = "StreamRestartedError";
  override readonly code = "stream_restarted";
  readonly jobId: string;
  /** The number of the attempt that has begun. */
  readonly attempt: number;

  constructor(jobId: string, attempt: number) {
    super(
      `Job ${jobId} was started again (attempt ${attempt}): the chunks read so far no longer count. ` +
        "Give the option onRestart to drop them and read on.",
    );
    this.jobId = jobId;
    this.attempt = attempt;
  }
}
