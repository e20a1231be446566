/** Every operation of the second version of REST, in the order of its documentation: the index of this folder. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Operation } from "../operation.ts";
import { readDocumentV2 } from "./read-document.ts";

/** By name, which is their `operationId` as well. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  readDocumentV2,
};

/** With what all of them have in common. */
export const REST_V2_OPERATIONS: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    { ...operation, maxBodyBytes: LIMITS.restV2BodyMaxBytes },
  ]),
);
