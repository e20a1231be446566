/** The body of `/run` and `/runsync`. */

/** Limits of one job (spec). */
export interface JobPolicy {
  /** Timeout of the handler, ms: 5,000 to 7 days; default 600,000. */
  readonly executionTimeout?: number | undefined;
  /** True: the job does not make the endpoint start workers; default false. */
  readonly lowPriority?: boolean | undefined;
  /** Time from the submission to the deletion of the job, whatever its status, ms: 10,000 to 7 days; default 24 hours. */
  readonly ttl?: number | undefined;
}

/** Object storage for the handler (spec). */
export interface S3Config {
  readonly accessId: string;
  readonly accessSecret: string;
  readonly bucketName: string;
  readonly endpointUrl: string;
  /** The region for signatures; default: derived from `endpointUrl` (ours). */
  readonly region?: string;
}

export interface SubmitOptions {
  /** URL that the service calls when the job has ended. */
  readonly webhook?: string | undefined;
  readonly policy?: JobPolicy | undefined;
  readonly s3Config?: S3Config | undefined;
  /**
   * W3C `traceparent` of the job's parent, for example of the active span of OpenTelemetry; its handler gets it as
   * `context.traceparent`. The service ignores an invalid one.
   */
  readonly traceparent?: string | undefined;
  /** Aborts the call. A job that was already submitted goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** JSON text of the submission; options that are not given are left out. */
export function submissionBody(input: unknown, options: SubmitOptions): string {
  const { webhook, policy, s3Config } = options;
  return JSON.stringify({ input, webhook, policy, s3Config });
}
