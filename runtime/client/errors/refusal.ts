/** Reads an error answer: in our own form, or any answer of a proxy. */
import { isRecord } from "../json-shape.ts";
import type { Refusal } from "./service-error.ts";

/** Maximum characters of a body in another form that a message quotes. */
const QUOTED_CHARACTERS = 200;
const SECOND_MS = 1000;

/** The relevant headers, in undici's form. */
export interface RefusalHeaders {
  readonly date?: string | string[] | undefined;
  readonly "retry-after"?: string | string[] | undefined;
}

export function readRefusal(status: number, headers: RefusalHeaders, body: string): Refusal {
  const fields = parsed(body);
  const message = fields["error"];
  const code = fields["code"];
  const problems = fields["problems"];
  return {
    status,
    message: typeof message === "string" ? message : unnamed(status, body),
    code: typeof code === "string" ? code : `http_${status}`,
    problems: Array.isArray(problems) ? problems.filter((item) => typeof item === "string") : [],
    retryAfterMs: retryAfterMs(single(headers["retry-after"]), single(headers.date)),
  };
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function unnamed(status: number, body: string): string {
  const quoted = body.trim().slice(0, QUOTED_CHARACTERS);
  return `The service answered with HTTP status ${status}${quoted === "" ? "." : `: ${quoted}`}`;
}

/** Reads both forms of Retry-After. A date is compared with the answer's own Date, so that clock skew does not matter. */
function retryAfterMs(
  retryAfter: string | undefined,
  date: string | undefined,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * SECOND_MS;
  const ms = Date.parse(retryAfter) - Date.parse(date ?? "");
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
