/** Every operation of the interface, in the order of its documentation: the index of this folder. */
import { AUDIT_OPERATIONS } from "./access/audit.ts";
import { KEY_OPERATIONS } from "./access/keys.ts";
import { events } from "./observe/events.ts";
import { listDeletedJobs } from "./jobs/list-deleted-jobs.ts";
import { freezeWorker } from "./workers/freeze-worker.ts";
import { drainWorker } from "./workers/drain-worker.ts";
import { killWorker } from "./workers/kill-worker.ts";
import { listWorkers } from "./workers/list-workers.ts";
import { listReplicas } from "./observe/list-replicas.ts";
import { observeEndpoints } from "./observe/list-endpoints.ts";
import { readDecisions } from "./workers/read-decisions.ts";
import { readLimits } from "./limits/read-limits.ts";
import { readSeries } from "./observe/read-series.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { MATCHING_OPERATIONS } from "./jobs/change-matching.ts";
import { readChunks } from "./streams/read-chunks.ts";
import { logs } from "./observe/logs.ts";
import { readJob } from "./jobs/read-job.ts";
import { readOrigins } from "./resources/read-origins.ts";
import { cancel } from "./jobs/cancel.ts";
import { health } from "./jobs/health.ts";
import { purgeQueue } from "./jobs/purge-queue.ts";
import { requests } from "./jobs/requests.ts";
import { retry } from "./jobs/retry.ts";
import { run } from "./jobs/run.ts";
import { runsync } from "./jobs/runsync.ts";
import { status } from "./jobs/status.ts";
import { statusSync } from "./jobs/status-sync.ts";
import { stream } from "./streams/stream.ts";
import { TEMPLATE_OPERATIONS } from "./resources/templates.ts";
import { REGISTRY_AUTH_OPERATIONS } from "./resources/registry-auths.ts";
import { ENDPOINT_OPERATIONS } from "./resources/endpoints.ts";
import { NETWORK_VOLUME_OPERATIONS } from "./resources/network-volumes.ts";
import { POD_OPERATIONS } from "./pods/pods.ts";
import { BILLING_OPERATIONS } from "./billing/bills.ts";
import { DELIVERY_OPERATIONS } from "./webhooks/deliveries.ts";
import { CLOCK_OPERATIONS } from "./time/clock.ts";
import { DASHBOARD_PAGE_OPERATIONS } from "./dashboard/dashboard-page.ts";
import { SESSION_OPERATIONS } from "./dashboard/sessions.ts";
import { DOCS_OPERATIONS } from "./docs-page/docs-page.ts";
import { OPENAI_OPERATIONS } from "./openai/openai.ts";
import { PROBE_OPERATIONS } from "./observe/probes.ts";
import { readMetrics } from "./observe/metrics/read-metrics.ts";
import { readDocument } from "./openapi/read-document.ts";
import type { Operation } from "./operation.ts";

/** By name, which is their `operationId` as well. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  run,
  runsync,
  status,
  statusSync,
  stream,
  cancel,
  retry,
  purgeQueue,
  health,
  ...OPENAI_OPERATIONS,
  requests,
  ...TEMPLATE_OPERATIONS,
  ...REGISTRY_AUTH_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...NETWORK_VOLUME_OPERATIONS,
  ...POD_OPERATIONS,
  ...BILLING_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  readDocument,
  ...CLOCK_OPERATIONS,
  ...KEY_OPERATIONS,
  ...AUDIT_OPERATIONS,
  events,
  readOrigins,
  listJobs,
  listDeletedJobs,
  readJob,
  readChunks,
  ...MATCHING_OPERATIONS,
  observeEndpoints,
  readSeries,
  readDecisions,
  listWorkers,
  drainWorker,
  killWorker,
  freezeWorker,
  readLimits,
  listReplicas,
  logs,
  readMetrics,
  ...PROBE_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...DASHBOARD_PAGE_OPERATIONS,
  ...DOCS_OPERATIONS,
};
