/** What a call can throw besides the service's own refusals (service-error.ts) and failed jobs (job-error.ts). */
import type { JobStatus } from "../../protocol/job-status.ts";

/** Every error of this client is one; `code` never changes between versions, the message may. */
export abstract class ClientError extends Error {
  /** Snake case; for refusals of the service, the service's own code. */
  abstract readonly code: string;
}

/** `createClient` or a call was given something that cannot work: a base URL that is none, no key, no endpoint id. */
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
  /** False when the request surely never reached the service: a submission may then be sent again without harm. */
  readonly mayHaveBeenSent: boolean;

  constructor(message: string, mayHaveBeenSent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayHaveBeenSent = mayHaveBeenSent;
  }
}

/** The answer does not match the job interface; the base URL may lead to something else. */
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
  /** The job's status when it was last heard of; absent when nothing was heard. */
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
 * The job was started again while its stream was read, so what was read so far belongs to an attempt that no longer
 * counts. Thrown only where `onRestart` is not given: with it, the stream goes on with the new attempt.
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
