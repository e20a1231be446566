/** How the second version of REST refuses: a problem document (RFC 9457), with a line for each thing that does not fit (live). */
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { type ErrorCode, ERROR_CODES, ServiceError } from "../../../core/service-error.ts";
import type { RefusalShape } from "../../operation/dialect.ts";
import { liveText } from "../../operation/dialects/live-texts.ts";

/** What is refused because of the state that something else is in (live for secrets; for the others ours, by analogy). */
const CONFLICTS: ReadonlySet<ErrorCode> = new Set([
  "template_name_taken",
  "registry_auth_name_taken",
  "pod_locked",
]);

const CONFLICT = 409;

export const PROBLEM: RefusalShape = {
  contentType: "application/problem+json",
  status: problemStatus,
  body: (error) => {
    const status = problemStatus(error.code);
    const { code, problems } = error;
    return {
      title: STATUS_CODES[status] ?? "Error",
      status,
      detail: detailOf(error),
      ...(code === "unprocessable" && problems && { errors: problems }),
    };
  },
  schemaName: "Problem",
  schema: z.strictObject({
    title: z.string().meta({ description: "The name of the status." }),
    status: z.int().meta({ description: "The HTTP status." }),
    detail: z.string().meta({ description: "A sentence a person can act on." }),
    errors: z
      .array(z.string())
      .optional()
      .meta({ description: "With 422, a line for each thing that does not fit the document." }),
  }),
  properties: (_, status) => ({ status: { const: status } }),
};

function problemStatus(code: ErrorCode): number {
  return CONFLICTS.has(code) ? CONFLICT : ERROR_CODES[code].status;
}

/** The text for a missing key is another than below `/v1` (live). */
function detailOf(error: ServiceError): string {
  return error.topic?.type === "key_missing" ? "missing bearer token" : liveText(error).message;
}

/**
 * The refusal of a request that is not as the document says (422).
 *
 * @param lines one for each thing that is wrong; none for a rule that `detail` states (live)
 */
export function unprocessable(detail: string, lines?: readonly string[]): ServiceError {
  return new ServiceError("unprocessable", detail, lines && { problems: lines });
}

/** The refusal of a request that does not fit its schema, with the text that the live service has for it (live). */
export function notFitting(lines: readonly string[]): ServiceError {
  return unprocessable("Request validation failed.", lines);
}
