/** How long a worker may take from its start until it can take jobs. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { WORKER_ENV } from "../../../runtime/protocol/worker-env.ts";
import type { EndpointType } from "../resources/endpoint.ts";
import type { Template } from "../resources/template.ts";

/** In the `env` of a template: the limit for its workers in seconds, 1 to 604,800. */
export const INIT_TIMEOUT = "SV_INIT_TIMEOUT";

/** The same by the name it has on the live service; the one above goes before it. */
const LIVE_INIT_TIMEOUT = "RUNPOD_INIT_TIMEOUT";

const MOST_SECONDS = 7 * 24 * 60 * 60;

/** What the template asks for, ms; undefined if it asks for nothing, or for nothing that makes sense. */
export function declaredInitLimitMs({ env }: Pick<Template, "env">): number | undefined {
  const seconds = wholeNumber(env[variableOf(env)]);
  return seconds >= 1 && seconds <= MOST_SECONDS ? seconds * 1_000 : undefined;
}

/** A sentence if the template's requirement makes no sense. */
export function initLimitProblem(template: Pick<Template, "env">): string | undefined {
  const name = variableOf(template.env);
  const written = template.env[name];
  if (written === undefined || declaredInitLimitMs(template) !== undefined) return undefined;
  return `${name} must be a whole number of seconds from 1 to ${MOST_SECONDS}; got ${JSON.stringify(written)}, so the limit is ${LIMITS.workerInitMs / 1_000}`;
}

/**
 * In ms, 7 minutes by default (spec), for a server until it is healthy 8 minutes (live). A worker that minds a longer limit of its own is given that; one whose handler a
 * debugger may hold while it is set up is given all the time there is.
 */
export function initLimitMs(template: Pick<Template, "env">, type?: EndpointType): number {
  if (type === "LOAD_BALANCING") return declaredInitLimitMs(template) ?? LIMITS.balancedStartMs;
  const { env } = template;
  if ((env[WORKER_ENV.inspect] ?? "") !== "") return Number.POSITIVE_INFINITY;
  const ownLimitMs = wholeNumber(env[WORKER_ENV.initLimitMs]);
  return declaredInitLimitMs(template) ?? Math.max(LIMITS.workerInitMs, ownLimitMs || 0);
}

/** By which name the requirement is written. */
function variableOf(env: Template["env"]): string {
  return env[INIT_TIMEOUT] === undefined ? LIVE_INIT_TIMEOUT : INIT_TIMEOUT;
}

function wholeNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
