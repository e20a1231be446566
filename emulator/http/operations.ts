/** Every operation of the interface, in the order of its documentation: the index of this folder. */
import { advanceClock } from "./emulator/advance-clock.ts";
import { events } from "./emulator/events.ts";
import { listJobs } from "./emulator/list-jobs.ts";
import { logs } from "./emulator/logs.ts";
import { readJob } from "./emulator/read-job.ts";
import { readClock } from "./emulator/read-clock.ts";
import { readOrigins } from "./emulator/read-origins.ts";
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
import { stream } from "./jobs/stream.ts";
import { billEndpoints } from "./management/bill-endpoints.ts";
import { billNetworkVolumes } from "./management/bill-network-volumes.ts";
import { billPods } from "./management/bill-pods.ts";
import { createEndpoint } from "./management/create-endpoint.ts";
import { createNetworkVolume } from "./management/create-network-volume.ts";
import { createRegistryAuth } from "./management/create-registry-auth.ts";
import { createPod } from "./management/create-pod.ts";
import { createTemplate } from "./management/create-template.ts";
import { deleteEndpoint } from "./management/delete-endpoint.ts";
import { deleteNetworkVolume } from "./management/delete-network-volume.ts";
import { deleteRegistryAuth } from "./management/delete-registry-auth.ts";
import { deletePod } from "./management/delete-pod.ts";
import { deleteTemplate } from "./management/delete-template.ts";
import { listEndpoints } from "./management/list-endpoints.ts";
import { listNetworkVolumes } from "./management/list-network-volumes.ts";
import { listRegistryAuths } from "./management/list-registry-auths.ts";
import { listPods } from "./management/list-pods.ts";
import { listTemplates } from "./management/list-templates.ts";
import { readEndpoint } from "./management/read-endpoint.ts";
import { readNetworkVolume } from "./management/read-network-volume.ts";
import { readRegistryAuth } from "./management/read-registry-auth.ts";
import { readPod } from "./management/read-pod.ts";
import { readTemplate } from "./management/read-template.ts";
import { updateEndpoint } from "./management/update-endpoint.ts";
import { updateNetworkVolume } from "./management/update-network-volume.ts";
import { readMetrics } from "./metrics/read-metrics.ts";
import { askOpenai } from "./openai/ask-openai.ts";
import { readOpenai } from "./openai/read-openai.ts";
import { resetPod } from "./management/reset-pod.ts";
import { restartPod } from "./management/restart-pod.ts";
import { startPod } from "./management/start-pod.ts";
import { stopPod } from "./management/stop-pod.ts";
import { updatePod } from "./management/update-pod.ts";
import { updateTemplate } from "./management/update-template.ts";
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
