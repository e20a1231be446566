/** How GraphQL refuses: so that every client shows the text of the first error (live). */
import type { ErrorCode, ServiceError } from "../../../core/service-error.ts";
import type { Refusal } from "../../operation/dialect.ts";
import { liveText } from "../../operation/dialects/live-texts.ts";

export interface GraphqlErrors {
  readonly errors: readonly { readonly message: string }[];
  readonly data: unknown;
}

export function refused(errors: readonly ServiceError[], data: unknown = null): GraphqlErrors {
  return { errors: errors.map((error) => ({ message: liveText(error).message })), data };
}

/** What is wrong with a document is told with status 200, as what is wrong with its fields is (live). */
const OF_DOCUMENTS: ReadonlySet<ErrorCode> = new Set([
  "invalid_json",
  "invalid_request",
  "payload_too_large",
  "unsupported_encoding",
]);

const OK = 200;

/** Before a field is looked at, for example for a key that is wrong; and where the service cannot answer. */
export const graphqlRefusal: Refusal = (error) => ({
  status: OF_DOCUMENTS.has(error.code) ? OK : error.status,
  pieces: [JSON.stringify(refused([error]))],
});
