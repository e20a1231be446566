/** Time limit from a worker's start until it can take jobs. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import type { EndpointType } from "../resources/endpoints/endpoint.ts";
import type { Template } from "../resources/templates/template.ts";

/** Variable in a template's `env`: the limit for its workers, seconds, 1 to 604,800. */
export const INIT_TIMEOUT = "SV_INIT_TIMEOUT";

/** The name of the variable on the live service; `SV_INIT_TIMEOUT` goes first. */
const LIVE_INIT_TIMEOUT = "RUNPOD_INIT_TIMEOUT";

const MOST_SECONDS = 7 * 24 * 60 * 60;

/** The limit in the template, ms; undefined for none or an invalid one. */
export function declaredInitLimitMs({ env }: Pick<Template, "env">): number | undefined {
  const seconds = wholeNumber(env[variableOf(env)]);
  return seconds >= 1 && seconds <= MOST_SECONDS ? seconds * 1_000 : undefined;
}

/** The sentence about an invalid limit in the template. */
export function initLimitProblem(template: Pick<Template, "env">): string | undefined {
  const name = variableOf(template.env);
  const written = template.env[name];
  if (written === undefined || declaredInitLimitMs(template) !== undefined) return undefined;
  return `${name} must be a whole number of seconds from 1 to ${MOST_SECONDS}; got ${JSON.stringify(written)}, so the limit is ${LIMITS.workerInitMs / 1_000}`;
}

/**
 * The limit in ms: 7 minutes by default (spec), 8 minutes for a server until it is healthy (live). The limit of the worker's
 * template applies if it is longer. A worker that may wait for a debugger during initialization has no limit.
 */
export function initLimitMs(template: Pick<Template, "env">, type?: EndpointType): number {
  if (type === "LOAD_BALANCING") return declaredInitLimitMs(template) ?? LIMITS.balancedStartMs;
  const { env } = template;
  if ((env[WORKER_ENV.inspect] ?? "") !== "") return Number.POSITIVE_INFINITY;
  const ownLimitMs = wholeNumber(env[WORKER_ENV.initLimitMs]);
  return declaredInitLimitMs(template) ?? Math.max(LIMITS.workerInitMs, ownLimitMs || 0);
}

function variableOf(env: Template["env"]): string {
  return env[INIT_TIMEOUT] === undefined ? LIVE_INIT_TIMEOUT : INIT_TIMEOUT;
}

function wholeNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
