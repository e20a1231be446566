/** The settings of `sv-worker` that come from its environment, checked before anything is started. */
import type { StandbyMode } from "../isolate/standby.ts";
import type { LogFormat } from "../log/worker-log.ts";
import { LOG_LEVELS, type LogLevel } from "../protocol/worker-log.ts";
import { defined } from "../protocol/without-undefined.ts";
import { type Environment, variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { UsageError } from "./usage.ts";

/** Settings of the environment; absent ones have defaults in the worker. */
export interface Settings {
  readonly graceMs?: number;
  readonly initLimitMs?: number;
  readonly drainLimitMs?: number;
  readonly standby?: StandbyMode;
  /** `host:port` */
  readonly inspect?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
}

/** Maximum of a duration: a week. Timers of Node take up to 24 days. */
const LONGEST_MS = 7 * 24 * 60 * 60_000;

const STANDBY: ReadonlyMap<string, StandbyMode> = new Map([
  ["0", "none"],
  ["idle", "idle"],
  ["loaded", "loaded"],
]);
const LEVELS = identity(LOG_LEVELS);
const FORMATS = identity(["json", "pretty"]);

/** @throws UsageError with a line for every invalid value */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (value: string, name: string) => T): T | undefined => {
    const value = variable(env, name);
    if (value === undefined) return undefined;
    try {
      return parse(value, name);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const settings = {
    graceMs: read(WORKER_ENV.graceMs, milliseconds(0)),
    initLimitMs: read(WORKER_ENV.initLimitMs, milliseconds(1)),
    drainLimitMs: read(WORKER_ENV.drainLimitMs, milliseconds(0)),
    standby: read(WORKER_ENV.standby, oneOf(STANDBY)),
    inspect: read(WORKER_ENV.inspect, inspectAddress),
    logLevel: read(WORKER_ENV.logLevel, oneOf(LEVELS)),
    logFormat: read(WORKER_ENV.logFormat, oneOf(FORMATS)),
  };
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return defined(settings);
}

/** A reader of durations. The reader throws a UsageError for a text that is no whole number from `leastMs` to a week. */
export function milliseconds(leastMs: number): (value: string, name: string) => number {
  return (value, name) => {
    const ms = /^\d{1,9}$/u.test(value) ? Number(value) : Number.NaN;
    if (ms >= leastMs && ms <= LONGEST_MS) return ms;
    throw new UsageError(
      `${name} must be a whole number of milliseconds from ${leastMs} to ${LONGEST_MS}, not "${value}".`,
    );
  };
}

/**
 * Reads `host:port`, or a port alone, which is then open to this machine only.
 *
 * @throws UsageError for any other text, and for port 0, which would change with each start
 */
export function inspectAddress(value: string, name: string): string {
  const match = /^(?:(.+):)?(\d{1,5})$/u.exec(value);
  const port = Number(match?.[2]);
  if (port >= 1 && port <= 65_535) return `${match?.[1] ?? "127.0.0.1"}:${port}`;
  throw new UsageError(
    `${name} must be host:port or a port from 1 to 65535, not "${value}"; for example 127.0.0.1:9229.`,
  );
}

function oneOf<T>(allowed: ReadonlyMap<string, T>): (value: string, name: string) => T {
  return (value, name) => {
    const found = allowed.get(value);
    if (found !== undefined) return found;
    throw new UsageError(
      `${name} must be one of ${[...allowed.keys()].join(", ")}, not "${value}".`,
    );
  };
}

function identity<const T extends string>(names: readonly T[]): ReadonlyMap<string, T> {
  return new Map(names.map((name) => [name, name]));
}
