/** Every operation of the interface, in the order of its documentation: the index of this folder. */
import { cancel } from "./jobs/cancel.ts";
import { health } from "./jobs/health.ts";
import { purgeQueue } from "./jobs/purge-queue.ts";
import { retry } from "./jobs/retry.ts";
import { run } from "./jobs/run.ts";
import { runsync } from "./jobs/runsync.ts";
import { status } from "./jobs/status.ts";
import { statusSync } from "./jobs/status-sync.ts";
import { stream } from "./jobs/stream.ts";
import { createEndpoint } from "./management/create-endpoint.ts";
import { createTemplate } from "./management/create-template.ts";
import { deleteEndpoint } from "./management/delete-endpoint.ts";
import { deleteTemplate } from "./management/delete-template.ts";
import { listEndpoints } from "./management/list-endpoints.ts";
import { listTemplates } from "./management/list-templates.ts";
import { readEndpoint } from "./management/read-endpoint.ts";
import { readTemplate } from "./management/read-template.ts";
import type { Operation } from "./operation.ts";

export const OPERATIONS: readonly Operation[] = [
  run,
  runsync,
  status,
  statusSync,
  stream,
  cancel,
  retry,
  purgeQueue,
  health,
  createTemplate,
  listTemplates,
  readTemplate,
  deleteTemplate,
  createEndpoint,
  listEndpoints,
  readEndpoint,
  deleteEndpoint,
];
