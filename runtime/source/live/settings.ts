/** The environment of a worker of the live service, read and checked before anything is started. */
import { randomUUID } from "node:crypto";
import os from "node:os";
import { LIMITS } from "../../protocol/limits.ts";
import { type Environment, variable, WORKER_ENV } from "../../protocol/environment/worker-env.ts";
import { LiveAddresses } from "./addresses.ts";

/** Environment variables that the live service gives its workers. */
export const LIVE_ENV = {
  /** The address at which the worker takes jobs. A worker with this variable is a worker of the live service. */
  take: "RUNPOD_WEBHOOK_GET_JOB",
  done: "RUNPOD_WEBHOOK_POST_OUTPUT",
  stream: "RUNPOD_WEBHOOK_POST_STREAM",
  ping: "RUNPOD_WEBHOOK_PING",
  /** Interval of pings, ms. */
  pingIntervalMs: "RUNPOD_PING_INTERVAL",
  /** Sent unchanged with every request. */
  key: "RUNPOD_AI_API_KEY",
  workerId: "RUNPOD_POD_ID",
  hostname: "RUNPOD_POD_HOSTNAME",
  endpointId: "RUNPOD_ENDPOINT_ID",
  gpuTypeId: "RUNPOD_GPU_TYPE_ID",
} as const;

/** The worker's id, its addresses, and the interval of its pings. */
export interface LiveSettings {
  readonly addresses: LiveAddresses;
  /** Generated if the environment names none. */
  readonly workerId: string;
  readonly endpointId: string;
  readonly hostname: string;
  readonly key: string | undefined;
  /** At least a second; default 10,000 (live). */
  readonly pingIntervalMs: number;
  /** Default: the maximum, because the service ends jobs itself and does not report their limits (ours). */
  readonly executionTimeoutMs: number;
}

/** The environment of the live service is incomplete. The message has a line for each problem. */
export class LiveSettingsError extends Error {
  override readonly name = "LiveSettingsError";
  readonly code = "bad_setting";
}

const PING_INTERVAL_DEFAULT_MS = 10_000;
/** Minimum interval of pings: below it, workers of the SDK would spin. */
const PING_INTERVAL_LEAST_MS = 1_000;

/** The part of the address for results that differs in the address for chunks (live). */
const DONE = "/job-done/";

/** Whether the environment is that of a worker of the live service. */
export function isLiveEnvironment(env: Environment): boolean {
  return variable(env, LIVE_ENV.take) !== undefined;
}

/** @throws LiveSettingsError */
export function readLiveSettings(env: Environment): LiveSettings {
  const problems: string[] = [];
  const text = (name: string): string | undefined => variable(env, name);
  const address = (name: string): string => {
    const problem = problemOfAddress(name, text(name));
    if (problem !== undefined) problems.push(problem);
    return text(name) ?? "";
  };
  const milliseconds = (name: string, fallbackMs: number): number => {
    const value = text(name) ?? String(fallbackMs);
    const ms = /^\d{1,9}$/u.test(value) ? Number(value) : Number.NaN;
    if (ms <= LIMITS.executionTimeoutMaxMs) return ms;
    problems.push(
      `${name} must be a whole number of milliseconds up to ${LIMITS.executionTimeoutMaxMs}, not "${value}".`,
    );
    return fallbackMs;
  };
  const workerId = text(LIVE_ENV.workerId) ?? randomUUID();
  const take = address(LIVE_ENV.take);
  const done = address(LIVE_ENV.done);
  const besideDone = text(LIVE_ENV.stream) === undefined && done.includes(DONE);
  const templates = {
    workerId,
    gpuTypeId: text(LIVE_ENV.gpuTypeId) ?? "",
    take,
    done,
    // Optional, because workers of the SDK start without it, and most handlers do not stream.
    stream: besideDone ? done.replace(DONE, "/job-stream/") : address(LIVE_ENV.stream),
    ping: text(LIVE_ENV.ping) === undefined ? undefined : address(LIVE_ENV.ping),
  };
  const pingMs = milliseconds(LIVE_ENV.pingIntervalMs, PING_INTERVAL_DEFAULT_MS);
  const timeoutMs = milliseconds(WORKER_ENV.executionTimeoutMs, LIMITS.executionTimeoutMaxMs);
  if (timeoutMs === 0) problems.push(`${WORKER_ENV.executionTimeoutMs} must be at least 1.`);
  if (problems.length > 0) throw new LiveSettingsError(problems.join("\n"));
  return {
    addresses: new LiveAddresses(templates),
    workerId,
    endpointId: text(LIVE_ENV.endpointId) ?? "unknown",
    hostname: text(LIVE_ENV.hostname) ?? os.hostname(),
    key: text(LIVE_ENV.key),
    pingIntervalMs: Math.max(PING_INTERVAL_LEAST_MS, pingMs),
    executionTimeoutMs: timeoutMs,
  };
}

function problemOfAddress(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return `${name} must be set where ${LIVE_ENV.take} is.`;
  if (/^https?:$/u.test(URL.parse(value)?.protocol ?? "")) return undefined;
  return `${name} must be an address that begins with http:// or https://, not "${value}".`;
}
