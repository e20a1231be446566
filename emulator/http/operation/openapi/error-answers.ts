/** Errors of each operation, and their form in the document. */
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { RATE_LIMITS } from "../../../../runtime/protocol/rate-limits.ts";
import { ERROR_CODES, type ErrorCode } from "../../../core/service-error.ts";
import { parametersOf } from "../../schemas/path-parameters.ts";
import type { RefusalShape } from "../dialect.ts";
import type { Operation } from "../operation.ts";

/** Errors that any operation can answer: about the request, its body (even if unused), or the service. */
const OF_ANY: readonly ErrorCode[] = [
  "invalid_header",
  "host_not_allowed",
  "origin_not_allowed",
  "unsupported_encoding",
  "request_timeout",
  "payload_too_large",
  "internal_error",
  "too_much_in_flight",
  "shutting_down",
];

/** Errors of an operation with a key. */
const OF_KEYS: readonly ErrorCode[] = ["unauthorized", "key_expired", "insufficient_scope"];

/** Codes of an operation's refusals, from its declaration and its contract. */
function errorsOf(operation: Operation): ReadonlySet<ErrorCode> {
  const { contract, access, path, rateLimit, hasQuota, owner } = operation;
  const codes = new Set([...OF_ANY, ...(contract.errors ?? [])]);
  if (codes.has("storage_full")) codes.add("storage_failed");
  if (access === "probe") codes.delete("shutting_down");
  else if (access !== "anyone") for (const code of OF_KEYS) codes.add(code);
  if (contract.takes) codes.add("invalid_json");
  if (contract.takes || contract.query) codes.add("invalid_request");
  if (rateLimit !== undefined) {
    codes.add("rate_limited");
    if (RATE_LIMITS[rateLimit].concurrent !== undefined) codes.add("too_many_requests_at_once");
  }
  if (hasQuota) codes.add("rate_limited");
  if (owner !== "any") codes.add("endpoint_moved");
  // A too long id in the path is answered with not_found.
  if (parametersOf(path).length > 0) codes.add("not_found");
  return codes;
}

/** Error answers of the operation by HTTP status. */
export function errorAnswers(
  operation: Operation,
  shape: RefusalShape,
): Record<string, ZodOpenApiResponseObject> {
  const { errorBody } = operation.contract;
  if (errorBody) {
    const content = { "application/json": { schema: errorBody } };
    return {
      "4XX": { description: "The request was refused.", content },
      "5XX": { description: "The job or the service failed.", content },
    };
  }
  const byStatus = Map.groupBy(errorsOf(operation), (code) => shape.status(code));
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [String(status), answerOf(shape, status, codes)]),
  );
}

/** Shared error answers: one object per code, so that the document contains each answer once. */
const SHARED = new WeakMap<RefusalShape, Map<ErrorCode, ZodOpenApiResponseObject>>();

function answerOf(
  shape: RefusalShape,
  status: number,
  codes: readonly ErrorCode[],
): ZodOpenApiResponseObject {
  const [code] = codes;
  if (code === undefined || codes.length > 1) return describe(shape, status, codes);
  const shared = SHARED.get(shape) ?? new Map<ErrorCode, ZodOpenApiResponseObject>();
  SHARED.set(shape, shared);
  const id = shape.schemaName === "Error" ? code : `${shape.schemaName}-${code}`;
  const whole = shared.get(code) ?? { id, ...describe(shape, status, codes) };
  shared.set(code, whole);
  return whole;
}

function describe(
  shape: RefusalShape,
  status: number,
  codes: readonly ErrorCode[],
): ZodOpenApiResponseObject {
  const body = { $ref: `#/components/schemas/${shape.schemaName}` };
  const known = shape.properties(codes, status);
  const schema = Object.keys(known).length === 0 ? body : { allOf: [body, { properties: known }] };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].when}`).join("\n\n"),
    content: { [shape.contentType ?? "application/json"]: { schema } },
  };
}
