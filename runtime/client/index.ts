/** `sv-runtime/client`: submit jobs, wait for them and read their streams, typed. */
export { createClient, type Client } from "./client.ts";
export type { ClientClock } from "./clock.ts";
export type { ClientOptions, RetryOptions } from "./options.ts";
export type { CallOptions, EndpointClient, RunSyncOptions, StatusOptions } from "./endpoint.ts";
export type { ChunkOf, InputOf, OutputOf } from "./handler-types.ts";
export type { JobPolicy, S3Config, SubmitOptions } from "./submission.ts";
export type { WaitOptions } from "./wait.ts";
export type { CompletedJob, Job, JobFacts, JobState, UncompletedJob } from "./job.ts";
export type { EndpointHealth, PurgeResult } from "./health.ts";
export type { JobStream, StreamOptions } from "./stream/stream.ts";
export type { StreamChunk } from "./stream/chunk-joiner.ts";
export { joinChunks } from "./stream/join-chunks.ts";
export {
  ClientClosedError,
  ClientError,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  StreamRestartedError,
  WaitTimeoutError,
} from "./errors/errors.ts";
export {
  PayloadTooLargeError,
  RateLimitedError,
  ServiceError,
  ServiceUnavailableError,
  UnauthorizedError,
  NotFoundError,
  ValidationError,
} from "./errors/service-error.ts";
export {
  JobCancelledError,
  JobError,
  JobFailedError,
  JobTimedOutError,
} from "./errors/job-error.ts";
export { JoinError } from "../core/join.ts";
export type { ChunkMetrics, RawChunk, SplitPosition, YieldMetrics } from "../protocol/chunk.ts";
export type { Failure, FailureType } from "../protocol/failure.ts";
export {
  isTerminal,
  JOB_STATUSES,
  TERMINAL_STATUSES,
  type JobStatus,
  type TerminalStatus,
} from "../protocol/job-status.ts";
