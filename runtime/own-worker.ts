/** A worker inside a user's program, where `sv-worker` is not the main program. */
import { fileURLToPath } from "node:url";
import { SERVICE_ADDRESS_RULE, servicePlaces } from "./protocol/environment/service-address.ts";
import { inspectAddress } from "./bin/settings.ts";
import { UsageError } from "./bin/usage.ts";
import { STANDBY_MODES } from "./isolate/standby.ts";
import { refuseWindows } from "./load/need-platform.ts";
import { openWorkerLog, type LogFormat } from "./log/worker-log.ts";
import { LOG_LEVELS, type LogLevel, type WorkerLog } from "./protocol/worker-log.ts";
import { WORKER_ENV } from "./protocol/environment/worker-env.ts";
import { liveSource, serviceSource } from "./service-source.ts";
import { isLiveEnvironment, LiveSettingsError } from "./source/live/settings.ts";
import { startWorker, type Worker, type WorkerEnd, type WorkerOptions } from "./worker.ts";

/** How to run a worker; every part has a default. */
export interface StartWorkerOptions extends Pick<
  WorkerOptions,
  "graceMs" | "initLimitMs" | "drainLimitMs" | "standby" | "inspect" | "env"
> {
  /**
   * gRPC address of the service: `tls://host:port`, `unix:/path`, or `host:port` of this machine. Default:
   * `SV_SERVICE_ADDRESS`, else the queue that the environment of the live service (`RUNPOD_WEBHOOK_GET_JOB` …) names.
   */
  readonly serviceAddress?: string;
  /** This worker's token; default `SV_WORKER_TOKEN`. */
  readonly workerToken?: string;
  /** The format of the worker's log on standard error; default `SV_LOG_FORMAT`, else `json`. */
  readonly logFormat?: LogFormat;
  /** The lowest level in the log; default `debug`, which is everything. A handler's output has the level `info`. */
  readonly logLevel?: LogLevel;
}

/** A worker that runs. */
export interface StartedWorker {
  /** Settles with the reason when the handler process has ended and the connection to the service is closed. Never rejects. */
  readonly ended: Promise<WorkerEnd>;
  /** Takes no further job, finishes running jobs, and returns the others. Idempotent. */
  drain(): void;
  /** Hands back everything and ends at once. Idempotent. */
  stop(): void;
}

/**
 * `missing_setting`: there is no address or no token, neither in the options nor in the environment; `bad_setting`: an option
 * has an invalid value. The message says which one.
 */
class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code: "missing_setting" | "bad_setting";

  constructor(code: SettingError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws SettingError */
export function startOwnWorker(handler: string | URL, options: StartWorkerOptions): StartedWorker {
  refuseWindows("A worker");
  const { serviceAddress, workerToken, logFormat, logLevel, inspect, ...more } = options;
  checkOneOf("standby", options.standby, STANDBY_MODES);
  checkOneOf("logLevel", logLevel, LOG_LEVELS);
  const fromEnv = process.env[WORKER_ENV.logFormat] === "pretty" ? "pretty" : "json";
  const log = openWorkerLog(logFormat ?? fromEnv, process.stderr, logLevel);
  const worker = startWorker({
    ...more,
    ...(inspect === undefined ? {} : { inspect: checkedAddress(inspect) }),
    handler: handler instanceof URL ? fileURLToPath(handler) : handler,
    log,
    ...serviceOf(serviceAddress, workerToken, log),
  });
  killWithThisProcess(worker);
  return {
    ended: worker.ended,
    drain: () => worker.drain(),
    stop: () => worker.stop(),
  };
}

function serviceOf(
  serviceAddress: string | undefined,
  workerToken: string | undefined,
  log: WorkerLog,
): Pick<WorkerOptions, "openSource" | "receiptLimitMs"> {
  const named = serviceAddress ?? process.env[WORKER_ENV.serviceAddress] ?? "";
  if (named === "" && isLiveEnvironment(process.env)) return live(log);
  const address = setting("serviceAddress", serviceAddress, WORKER_ENV.serviceAddress);
  const token = setting("workerToken", workerToken, WORKER_ENV.workerToken);
  if (servicePlaces(address) === undefined)
    throw new SettingError("bad_setting", `serviceAddress ${SERVICE_ADDRESS_RULE}.`);
  return { openSource: serviceSource({ address, token }, log) };
}

function live(log: WorkerLog): ReturnType<typeof liveSource> {
  try {
    return liveSource(process.env, log);
  } catch (error) {
    if (!(error instanceof LiveSettingsError)) throw error;
    throw new SettingError("bad_setting", error.message);
  }
}

function setting(option: string, given: string | undefined, variable: string): string {
  const value = given ?? process.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new SettingError(
    "missing_setting",
    `A worker needs the option ${option}, or the variable ${variable}.`,
  );
}

/** Checks the options for callers in plain JavaScript. */
function checkOneOf(option: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  const choice = allowed.join(", ");
  throw new SettingError("bad_setting", `${option} must be one of ${choice}, not "${value}".`);
}

function checkedAddress(inspect: string): string {
  try {
    return inspectAddress(inspect, "inspect");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new SettingError("bad_setting", error.message);
  }
}

/** If the program ends early, its handler process ends too. */
function killWithThisProcess(worker: Worker): void {
  const kill = (): void => worker.killNow();
  process.on("exit", kill);
  void worker.ended.then(() => process.off("exit", kill));
}
