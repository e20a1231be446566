/** Which errors an operation can answer with, and how the document shows them. */
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { RATE_LIMITS } from "../../../runtime/protocol/rate-limits.ts";
import { ERROR_CODES, type ErrorCode } from "../../core/service-error.ts";
import { parametersOf } from "../contract/path-parameters.ts";
import type { Operation } from "../operation.ts";

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Every error answer. */
export const errorSchema = z
  .strictObject({
    error: z.string().meta({ description: "A sentence a person can act on." }),
    code: z.enum(CODES),
    status: z.int().meta({ description: "The HTTP status." }),
    problems: z
      .array(z.string())
      .optional()
      .meta({ description: "One sentence per thing that is wrong; on `invalid_request` only." }),
  })
  .meta({ id: "Error" });

/** Before any operation is asked: the request itself, its body (even one that is thrown away), the service. */
const OF_ANY: readonly ErrorCode[] = [
  "invalid_header",
  "unsupported_encoding",
  "request_timeout",
  "payload_too_large",
  "internal_error",
  "shutting_down",
];

/** The codes an operation can refuse with, by what it is and by what its contract says. */
function errorsOf({ contract, access, path, rateLimit }: Operation): ReadonlySet<ErrorCode> {
  const codes = new Set([...OF_ANY, ...(contract.errors ?? [])]);
  if (access !== "anyone") codes.add("unauthorized");
  if (contract.takes) codes.add("invalid_json");
  if (contract.takes || contract.query) codes.add("invalid_request");
  if (rateLimit !== undefined) {
    codes.add("rate_limited");
    if (RATE_LIMITS[rateLimit].concurrent !== undefined) codes.add("too_many_requests_at_once");
  }
  // An id that is longer than any.
  if (parametersOf(path).length > 0) codes.add("not_found");
  return codes;
}

/** The error answers of the operation by HTTP status. */
export function errorAnswers(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  const { errorBody } = operation.contract;
  if (errorBody) {
    const content = { "application/json": { schema: errorBody } };
    return {
      "4XX": { description: "The request cannot be answered so.", content },
      "5XX": { description: "The job failed, or the service.", content },
    };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(operation)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [String(status), answerOf(status, codes)]),
  );
}

/** What many operations answer alike; one object for each code, so that the document says it once. */
const SHARED = new Map(
  CODES.map((code) => {
    const whole = { id: code, ...describe(ERROR_CODES[code].status, [code]) };
    return [code, whole] as const;
  }),
);

function answerOf(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const [first] = codes;
  const shared = first !== undefined && codes.length === 1 ? SHARED.get(first) : undefined;
  return shared ?? describe(status, codes);
}

function describe(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/Error" },
      { properties: { code: { enum: [...codes] }, status: { const: status } } },
    ],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].when}`).join("\n\n"),
    content: { "application/json": { schema } },
  };
}
