/** Every operation of the interface, in the order of its documentation: the index of this folder. */
import { AUDIT_OPERATIONS } from "./operation/access/audit.ts";
import { KEY_OPERATIONS } from "./emulator/access/keys.ts";
import { events } from "./emulator/observe/events.ts";
import { listDeletedJobs } from "./jobs/list-deleted-jobs.ts";
import { WORKER_OPERATIONS } from "./emulator/workers/operate-worker.ts";
import { listWorkers } from "./emulator/workers/list-workers.ts";
import { listReplicas } from "./emulator/observe/list-replicas.ts";
import { observeEndpoints } from "./emulator/observe/list-endpoints.ts";
import { readDecisions } from "./emulator/workers/read-decisions.ts";
import { readLimits } from "./emulator/limits/read-limits.ts";
import { readSeries } from "./emulator/observe/read-series.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { MATCHING_OPERATIONS } from "./jobs/change-matching.ts";
import { readChunks } from "./streams/read-chunks.ts";
import { logs } from "./emulator/observe/logs.ts";
import { readJob } from "./jobs/read-job.ts";
import { readOrigins } from "./emulator/observe/read-origins.ts";
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
import { TEMPLATE_OPERATIONS } from "./management/templates/v1.ts";
import { REGISTRY_AUTH_OPERATIONS } from "./management/registry-auths/v1.ts";
import { ENDPOINT_OPERATIONS } from "./management/endpoints/v1.ts";
import { NETWORK_VOLUME_OPERATIONS } from "./management/network-volumes/v1.ts";
import { POD_OPERATIONS } from "./management/pods/v1.ts";
import { BILLING_OPERATIONS } from "./management/billing/v1.ts";
import { DELIVERY_OPERATIONS } from "./emulator/webhooks/deliveries.ts";
import { CLOCK_OPERATIONS } from "./emulator/time/clock.ts";
import { DASHBOARD_PAGE_OPERATIONS } from "./emulator/dashboard/dashboard-page.ts";
import { SESSION_OPERATIONS } from "./emulator/dashboard/sessions.ts";
import { DOCS_OPERATIONS } from "./emulator/docs-page/docs-page.ts";
import { OPENAI_OPERATIONS } from "./openai/openai.ts";
import { PROBE_OPERATIONS } from "./emulator/observe/probes.ts";
import { readMetrics } from "./emulator/observe/metrics/read-metrics.ts";
import { readDocument } from "./emulator/openapi/read-document.ts";
import type { Operation } from "./operation/operation.ts";

/** The keys are the operations' names, and their `operationId`. */
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
  ...WORKER_OPERATIONS,
  readLimits,
  listReplicas,
  logs,
  readMetrics,
  ...PROBE_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...DASHBOARD_PAGE_OPERATIONS,
  ...DOCS_OPERATIONS,
};
