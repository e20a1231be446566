/** Every operation of the second version of REST, in the order of its documentation: the index of this folder. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Operation } from "../operation/operation.ts";
import type { AnswerContract } from "../schemas/contract.ts";
import { ACCOUNT_V2_OPERATIONS } from "./account/rest-v2.ts";
import { BILLING_V2_OPERATIONS } from "./billing/rest-v2.ts";
import { CATALOG_V2_OPERATIONS } from "./catalog/rest-v2.ts";
import { EMPTY_LIST_V2_OPERATIONS } from "./rest-v2/not-served.ts";
import { NETWORK_VOLUME_V2_OPERATIONS } from "./network-volumes/rest-v2.ts";
import { LOG_STREAM_V2_OPERATIONS } from "./logs/rest-v2.ts";
import { POD_V2_OPERATIONS } from "./pods/rest-v2.ts";
import { readDocumentV2 } from "./rest-v2/read-document.ts";
import { REGISTRY_V2_OPERATIONS } from "./registry-auths/rest-v2.ts";
import { SERVERLESS_V2_OPERATIONS } from "./endpoints/rest-v2.ts";
import { listReleasesV2 } from "./endpoints/rest-v2-releases.ts";
import { listWorkersV2 } from "./endpoints/rest-v2-workers.ts";
import { TEMPLATE_V2_OPERATIONS } from "./templates/rest-v2.ts";

/** The keys are the operations' names, and their `operationId`. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...SERVERLESS_V2_OPERATIONS,
  listWorkersV2,
  listReleasesV2,
  ...TEMPLATE_V2_OPERATIONS,
  ...NETWORK_VOLUME_V2_OPERATIONS,
  ...REGISTRY_V2_OPERATIONS,
  ...CATALOG_V2_OPERATIONS,
  ...BILLING_V2_OPERATIONS,
  ...ACCOUNT_V2_OPERATIONS,
  ...POD_V2_OPERATIONS,
  ...LOG_STREAM_V2_OPERATIONS,
  ...EMPTY_LIST_V2_OPERATIONS,
  readDocumentV2,
};

/** Operations that count as requests (`--limits`). */
const QUOTA_HEADERS = z.object({
  RateLimit: z
    .string()
    .optional()
    .meta({ description: 'The rest of each quota: `"minute";r=59;t=12`, separated by commas.' }),
  "RateLimit-Policy": z
    .string()
    .optional()
    .meta({ description: 'Each quota: `"minute";q=60;w=60`, separated by commas.' }),
});

/** The operations, with what all of them share. */
export const REST_V2_OPERATIONS: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [name, counted(operation)]),
);

/** Adds a bound of the body, and counts in the quotas of the key. */
function counted(operation: Operation): Operation {
  const bounded = { ...operation, maxBodyBytes: LIMITS.restV2BodyMaxBytes };
  if (operation.access === "anyone") return bounded;
  const answers = Object.entries(operation.contract.answers).map(([status, answer]) => [
    status,
    { ...answer, headers: QUOTA_HEADERS.extend(answer.headers?.shape ?? {}) },
  ]);
  return {
    ...bounded,
    hasQuota: true,
    contract: {
      ...operation.contract,
      answers: Object.fromEntries(answers) as Readonly<Record<string, AnswerContract>>,
    },
  };
}
