/** Reads the query parameters of the job interface: strict integers within named bounds. */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { valueInWords } from "./problem-words.ts";
import { invalidRequest } from "./service-error.ts";

/** A parsed query string: a text per parameter, or several if it was repeated. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/**
 * `wait` of `/runsync` and `/status-sync`: how long the request waits, in ms; 1000 to 300000, default 90000 (spec).
 *
 * @throws ServiceError `invalid_request`
 */
export function parseWaitMs(query: QueryParameters): number {
  const { waitMinMs, waitMaxMs, waitDefaultMs } = LIMITS;
  return parseInteger(query, "wait", waitMinMs, waitMaxMs, " (ms)") ?? waitDefaultMs;
}

/**
 * `ttl` of `/status`: in how many ms from now the job is to be deleted; 1 to 604800000 (ours); undefined if not sent.
 *
 * @throws ServiceError `invalid_request`
 */
export function parseTtlMs(query: QueryParameters): number | undefined {
  return parseInteger(query, "ttl", LIMITS.statusTtlMinMs, LIMITS.statusTtlMaxMs, " (ms)");
}

/**
 * `from` of `/stream`: the index of the first chunk wanted, 0 or more (ours); undefined if not sent.
 *
 * @throws ServiceError `invalid_request`
 */
export function parseFrom(query: QueryParameters): number | undefined {
  return parseInteger(query, "from", 0, Number.MAX_SAFE_INTEGER, "");
}

function parseInteger(
  query: QueryParameters,
  name: string,
  min: number,
  max: number,
  unit: string,
): number | undefined {
  if (!Object.hasOwn(query, name)) return undefined;
  const text = query[name];
  const value = typeof text === "string" && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  const got = Array.isArray(text) ? `${text.length} values` : valueInWords(text);
  throw invalidRequest([`${name} must be one integer ${bounds}${unit}; got ${got}`]);
}
