/** The metrics of the service by name, with what they mean and where their values come from. */
import type { Counts, Distributions } from "../../../../core/observe/metrics/series.ts";
import type { ServiceMetrics } from "../../../../core/observe/metrics/service-metrics.ts";

export interface MetricName {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export const COUNTERS: readonly (MetricName & {
  readonly of: (metrics: ServiceMetrics) => Counts;
})[] = [
  {
    name: "sv_jobs_submitted_total",
    help: "Jobs taken in.",
    labels: ["endpoint"],
    of: ({ submitted }) => submitted,
  },
  {
    name: "sv_jobs_finished_total",
    help: "Jobs that came to an end, by the status they ended in.",
    labels: ["endpoint", "status"],
    of: ({ finished }) => finished,
  },
  {
    name: "sv_jobs_requeued_total",
    help: "Returns of jobs to the queue, by what brought them back.",
    labels: ["endpoint", "by"],
    of: ({ requeued }) => requeued,
  },
  {
    name: "sv_jobs_dropped_total",
    help: "Jobs deleted before they came to an end: purged, or out of their time to live.",
    labels: ["endpoint", "by"],
    of: ({ dropped }) => dropped,
  },
  {
    name: "sv_worker_starts_total",
    help: "Workers started.",
    labels: ["endpoint"],
    of: ({ workerStarts }) => workerStarts,
  },
  {
    name: "sv_worker_ends_total",
    help: "Workers ended: left, not_initialized, unasked or lost.",
    labels: ["endpoint", "reason"],
    of: ({ workerEnds }) => workerEnds,
  },
  {
    name: "sv_rate_limited_requests_total",
    help: "Requests over a rate limit, refused or only warned of.",
    labels: ["endpoint", "operation", "side", "outcome"],
    of: ({ overLimit }) => overLimit,
  },
  {
    name: "sv_webhook_tries_total",
    help: "Webhook calls made: delivered, refused by another status, or unanswered.",
    labels: ["endpoint", "result"],
    of: ({ webhookTries }) => webhookTries,
  },
  {
    name: "sv_webhook_deliveries_total",
    help: "Webhook deliveries that are settled: delivered, or failed with no try left.",
    labels: ["endpoint", "state"],
    of: ({ webhookDeliveries }) => webhookDeliveries,
  },
  {
    name: "sv_http_requests_total",
    help: "HTTP requests answered, by operation and status code.",
    labels: ["operation", "code"],
    of: ({ requests }) => requests,
  },
  {
    name: "sv_forwarded_requests_total",
    help: "Requests that were another replica's to answer: answered, refused because none could be reached, or client_gone.",
    labels: ["outcome"],
    of: ({ forwarded }) => forwarded,
  },
  {
    name: "sv_partition_changes_total",
    help: "With `--advertise`: partitions of the endpoints that came here or went: gained, given_away, or lost to another replica.",
    labels: ["partition", "change"],
    of: ({ partitionChanges }) => partitionChanges,
  },
  {
    name: "sv_store_steps_total",
    help: "Transactions made durable; several share a commit.",
    labels: [],
    of: ({ commitSteps }) => commitSteps,
  },
];

export const DISTRIBUTIONS: readonly (MetricName & {
  readonly of: (metrics: ServiceMetrics) => Distributions;
})[] = [
  {
    name: "sv_job_queue_delay_seconds",
    help: "From the queue to a worker (service time).",
    labels: ["endpoint"],
    of: ({ queueDelay }) => queueDelay,
  },
  {
    name: "sv_job_execution_seconds",
    help: "From the worker to the end, by the status the job ended in.",
    labels: ["endpoint", "status"],
    of: ({ execution }) => execution,
  },
  {
    name: "sv_webhook_try_duration_seconds",
    help: "How long webhook calls took.",
    labels: [],
    of: ({ webhookTryDuration }) => webhookTryDuration,
  },
  {
    name: "sv_http_request_duration_seconds",
    help: "From a request to the end of its answer, waiting included.",
    labels: ["operation"],
    of: ({ requestDuration }) => requestDuration,
  },
  {
    name: "sv_partition_takeover_seconds",
    help: "With `--advertise`: from the end of the lease of a partition's former owner, or from when this replica first saw the partition without one, to deciding for it; partitions that were given are not in it.",
    labels: [],
    of: ({ takeover }) => takeover,
  },
  {
    name: "sv_forwarded_request_wait_seconds",
    help: "How long requests waited for an owner, of those that found none at first and were answered then.",
    labels: [],
    of: ({ forwardedWait }) => forwardedWait,
  },
  {
    name: "sv_store_commit_duration_seconds",
    help: "Commits of the store to the disk.",
    labels: [],
    of: ({ commits }) => commits,
  },
];

/** What is read when somebody asks. */
export const GAUGES = {
  jobs: {
    name: "sv_jobs",
    help: "Jobs that wait (the depth of the queue) or run.",
    labels: ["endpoint", "status"],
  },
  workers: {
    name: "sv_workers",
    help: "Workers that have not left, by state.",
    labels: ["endpoint", "state"],
  },
  throttled: {
    name: "sv_workers_throttled",
    help: "Workers that are wanted and cannot be had.",
    labels: ["endpoint"],
  },
  partitionOwned: {
    name: "sv_partition_owned",
    help: "With `--advertise`: 1 for each partition of the endpoints that this replica decides for, 0 for the others.",
    labels: ["partition"],
  },
  oldestSnapshot: {
    name: "sv_store_oldest_snapshot_seconds",
    help: "With `--store`: how old the oldest snapshot is that someone holds of the database.",
    labels: [],
  },
  bucketFailing: {
    name: "sv_bucket_failing",
    help: "With `--objects`: 1 from the first failure of the bucket on until it works again, else 0.",
    labels: [],
  },
  directoryBytes: {
    name: "sv_data_directory_bytes",
    help: "Disk that the data directory takes: database, payloads, objects, volumes, damaged or other; measured once a minute at most.",
    labels: ["kind"],
  },
} as const satisfies Readonly<Record<string, MetricName>>;
