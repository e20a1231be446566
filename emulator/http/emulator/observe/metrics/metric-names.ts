/** Metrics of the service by name, with their meaning and their source. */
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
    help: "Jobs that ended, by their status.",
    labels: ["endpoint", "status"],
    of: ({ finished }) => finished,
  },
  {
    name: "sv_jobs_requeued_total",
    help: "Returns of jobs to the queue, by cause.",
    labels: ["endpoint", "by"],
    of: ({ requeued }) => requeued,
  },
  {
    name: "sv_jobs_dropped_total",
    help: "Jobs deleted before they ended: purged, or older than their time to live.",
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
    help: "Requests over a rate limit, refused or only reported.",
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
    help: "Settled webhook deliveries: delivered, or failed with no try left.",
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
    help: "Requests passed on to another replica: answered, refused because none could be reached, or client_gone.",
    labels: ["outcome"],
    of: ({ forwarded }) => forwarded,
  },
  {
    name: "sv_partition_changes_total",
    help: "With `--advertise`: partitions that came or went: gained, given_away, or lost to another replica.",
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
    help: "Time from the queue to a worker (service time).",
    labels: ["endpoint"],
    of: ({ queueDelay }) => queueDelay,
  },
  {
    name: "sv_job_execution_seconds",
    help: "Time from the worker to the end, by the job's final status.",
    labels: ["endpoint", "status"],
    of: ({ execution }) => execution,
  },
  {
    name: "sv_webhook_try_duration_seconds",
    help: "Duration of webhook calls.",
    labels: [],
    of: ({ webhookTryDuration }) => webhookTryDuration,
  },
  {
    name: "sv_http_request_duration_seconds",
    help: "Time from a request to the end of its answer, waiting included.",
    labels: ["operation"],
    of: ({ requestDuration }) => requestDuration,
  },
  {
    name: "sv_partition_takeover_seconds",
    help: "With `--advertise`: time until this replica took over a partition, from the end of its former owner's lease, or from when this replica first saw it without an owner. Partitions given in order are not counted.",
    labels: [],
    of: ({ takeover }) => takeover,
  },
  {
    name: "sv_forwarded_request_wait_seconds",
    help: "Time that answered requests waited for an owner, if there was none at first.",
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

/** Metrics that are read on request. */
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
    help: "Wanted workers that cannot be started.",
    labels: ["endpoint"],
  },
  partitionOwned: {
    name: "sv_partition_owned",
    help: "With `--advertise`: 1 for each partition that this replica owns, 0 for the others.",
    labels: ["partition"],
  },
  oldestSnapshot: {
    name: "sv_store_oldest_snapshot_seconds",
    help: "With `--store`: age of the oldest open snapshot of the database.",
    labels: [],
  },
  bucketFailing: {
    name: "sv_bucket_failing",
    help: "With `--objects`: 1 while the bucket fails, else 0.",
    labels: [],
  },
  directoryBytes: {
    name: "sv_data_directory_bytes",
    help: "Disk space of the data directory: database, payloads, objects, volumes, damaged or other; measured at most once a minute.",
    labels: ["kind"],
  },
} as const satisfies Readonly<Record<string, MetricName>>;
