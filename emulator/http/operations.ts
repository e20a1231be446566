/** Every operation of the interface, in the order of its documentation: the index of this folder. */
import { advanceClock } from "./time/advance-clock.ts";
import { events } from "./observe/events.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { logs } from "./observe/logs.ts";
import { readJob } from "./jobs/read-job.ts";
import { readClock } from "./time/read-clock.ts";
import { readOrigins } from "./resources/read-origins.ts";
import { findDocs } from "./docs-page/find-docs.ts";
import { readDocsFile } from "./docs-page/read-docs-file.ts";
import { readDocs } from "./docs-page/read-docs.ts";
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
import { billEndpoints } from "./billing/bill-endpoints.ts";
import { billNetworkVolumes } from "./billing/bill-network-volumes.ts";
import { billPods } from "./billing/bill-pods.ts";
import { createEndpoint } from "./resources/endpoints/create-endpoint.ts";
import { createNetworkVolume } from "./resources/network-volumes/create-network-volume.ts";
import { createRegistryAuth } from "./resources/registry-auths/create-registry-auth.ts";
import { createPod } from "./pods/create-pod.ts";
import { createTemplate } from "./resources/templates/create-template.ts";
import { deleteEndpoint } from "./resources/endpoints/delete-endpoint.ts";
import { deleteNetworkVolume } from "./resources/network-volumes/delete-network-volume.ts";
import { deleteRegistryAuth } from "./resources/registry-auths/delete-registry-auth.ts";
import { deletePod } from "./pods/delete-pod.ts";
import { deleteTemplate } from "./resources/templates/delete-template.ts";
import { listEndpoints } from "./resources/endpoints/list-endpoints.ts";
import { listNetworkVolumes } from "./resources/network-volumes/list-network-volumes.ts";
import { listRegistryAuths } from "./resources/registry-auths/list-registry-auths.ts";
import { listPods } from "./pods/list-pods.ts";
import { listTemplates } from "./resources/templates/list-templates.ts";
import { readEndpoint } from "./resources/endpoints/read-endpoint.ts";
import { readNetworkVolume } from "./resources/network-volumes/read-network-volume.ts";
import { readRegistryAuth } from "./resources/registry-auths/read-registry-auth.ts";
import { readPod } from "./pods/read-pod.ts";
import { readTemplate } from "./resources/templates/read-template.ts";
import { updateEndpoint } from "./resources/endpoints/update-endpoint.ts";
import { updateNetworkVolume } from "./resources/network-volumes/update-network-volume.ts";
import { readMetrics } from "./observe/metrics/read-metrics.ts";
import { askOpenai } from "./openai/ask-openai.ts";
import { readOpenai } from "./openai/read-openai.ts";
import { resetPod } from "./pods/reset-pod.ts";
import { restartPod } from "./pods/restart-pod.ts";
import { startPod } from "./pods/start-pod.ts";
import { stopPod } from "./pods/stop-pod.ts";
import { updatePod } from "./pods/update-pod.ts";
import { updateTemplate } from "./resources/templates/update-template.ts";
import { readDocument } from "./openapi/read-document.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { readDelivery } from "./webhooks/read-delivery.ts";
import { readWebhookSecret } from "./webhooks/read-webhook-secret.ts";
import { redeliver } from "./webhooks/redeliver.ts";
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
  askOpenai,
  readOpenai,
  requests,
  createTemplate,
  listTemplates,
  readTemplate,
  updateTemplate,
  deleteTemplate,
  createRegistryAuth,
  listRegistryAuths,
  readRegistryAuth,
  deleteRegistryAuth,
  createEndpoint,
  listEndpoints,
  readEndpoint,
  updateEndpoint,
  deleteEndpoint,
  createNetworkVolume,
  listNetworkVolumes,
  readNetworkVolume,
  updateNetworkVolume,
  deleteNetworkVolume,
  createPod,
  listPods,
  readPod,
  updatePod,
  deletePod,
  startPod,
  stopPod,
  restartPod,
  resetPod,
  billPods,
  billEndpoints,
  billNetworkVolumes,
  listDeliveries,
  readWebhookSecret,
  readDelivery,
  redeliver,
  readDocument,
  readClock,
  advanceClock,
  events,
  readOrigins,
  listJobs,
  readJob,
  logs,
  readMetrics,
  findDocs,
  readDocs,
  readDocsFile,
};
