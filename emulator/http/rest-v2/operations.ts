/** Every operation of the second version of REST, in the order of its documentation: the index of this folder. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Operation } from "../operation.ts";
import { ACCOUNT_V2_OPERATIONS } from "./account.ts";
import { BILLING_V2_OPERATIONS } from "./billing.ts";
import { CATALOG_V2_OPERATIONS } from "./catalog.ts";
import { NETWORK_VOLUME_V2_OPERATIONS } from "./network-volumes.ts";
import { readDocumentV2 } from "./read-document.ts";
import { REGISTRY_V2_OPERATIONS } from "./registries.ts";

/** By name, which is their `operationId` as well. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...NETWORK_VOLUME_V2_OPERATIONS,
  ...REGISTRY_V2_OPERATIONS,
  ...CATALOG_V2_OPERATIONS,
  ...BILLING_V2_OPERATIONS,
  ...ACCOUNT_V2_OPERATIONS,
  readDocumentV2,
};

/** With what all of them have in common. */
export const REST_V2_OPERATIONS: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    { ...operation, maxBodyBytes: LIMITS.restV2BodyMaxBytes },
  ]),
);
