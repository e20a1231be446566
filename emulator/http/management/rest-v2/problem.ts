/** Refusals in the second version of REST: a problem document (RFC 9457) with a line per problem (live). */
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { type ErrorCode, ERROR_CODES, ServiceError } from "../../../core/service-error.ts";
import type { RefusalShape } from "../../operation/dialect.ts";
import { liveText } from "../../operation/dialects/live-texts.ts";

/** Refusals because of another resource's state (live for secrets; the others ours, by analogy). */
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
    detail: z.string().meta({ description: "A sentence that helps to correct the request." }),
    errors: z
      .array(z.string())
      .optional()
      .meta({ description: "With 422, a line for each problem." }),
  }),
  properties: (_, status) => ({ status: { const: status } }),
};

function problemStatus(code: ErrorCode): number {
  return CONFLICTS.has(code) ? CONFLICT : ERROR_CODES[code].status;
}

/** The text for a missing key differs from that of `/v1` (live). */
function detailOf(error: ServiceError): string {
  return error.topic?.type === "key_missing" ? "missing bearer token" : liveText(error).message;
}

/**
 * The refusal of a request that does not match the OpenAPI document (422).
 * @param lines one per problem; empty for a rule that `detail` states (live)
 */
export function unprocessable(detail: string, lines?: readonly string[]): ServiceError {
  return new ServiceError("unprocessable", detail, lines && { problems: lines });
}

/** The refusal of a request that does not match its schema, in the live service's text (live). */
export function notFitting(lines: readonly string[]): ServiceError {
  return unprocessable("Request validation failed.", lines);
}
