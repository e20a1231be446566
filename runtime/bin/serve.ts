/** `sv-worker [handler]`: runs a worker of the service named by the environment until it has drained. */
import { SERVICE_ADDRESS_RULE, servicePlaces } from "../protocol/environment/service-address.ts";
import { collectBuffersLessOften } from "./buffer-memory.ts";
import { openWorkerLog } from "../log/worker-log.ts";
import type { WorkerLog } from "../protocol/worker-log.ts";
import { variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { liveSource, serviceSource } from "../service-source.ts";
import { isLiveEnvironment, LIVE_ENV, LiveSettingsError } from "../source/live/settings.ts";
import { startWorker, type Worker, type WorkerEnd, type WorkerOptions } from "../worker.ts";
import { startHeartbeatOf } from "./heartbeat.ts";
import { whenPackageManagerEnds } from "./package-manager.ts";
import { compileCacheEnv, defaultLogFormat, onSignals } from "./program.ts";
import type { Settings } from "./settings.ts";
import { EXIT, type ExitCode, UsageError } from "./usage.ts";

const EXIT_CODES: Readonly<Record<WorkerEnd, ExitCode>> = {
  drained: EXIT.done,
  stopped: EXIT.failed,
  "handler-unusable": EXIT.handlerUnusable,
  refused: EXIT.refused,
};

/**
 * Resolves with the exit code.
 *
 * @throws UsageError if the environment names no service, or lacks a variable of the live one
 */
export async function serve(
  handler: WorkerOptions["handler"],
  settings: Settings,
): Promise<ExitCode> {
  const { logLevel, logFormat = defaultLogFormat(), ...workerSettings } = settings;
  const log = openWorkerLog(logFormat, process.stderr, logLevel);
  const service = typeof handler === "string" ? serviceOf(log) : laterService(log);
  startHeartbeatOf(process.env, log);
  // Listens to signals before anything is started: their default action would end the supervisor without the handler process.
  onSignals({ first: () => worker.drain(), again: () => worker.stop() });
  const worker = startWorker({
    ...workerSettings,
    handler,
    log,
    env: compileCacheEnv(),
    ...service,
  });
  process.on("exit", () => worker.killNow());
  collectBuffersLessOften();
  if (process.env[WORKER_ENV.exitOnStdinEnd] === "1") exitOnStdinEnd(worker);
  else whenPackageManagerEnds(() => worker.stop());
  return EXIT_CODES[await worker.ended];
}

/** The service of a spare worker: its code is loaded at once, its address is known when the source is opened. */
function laterService(log: WorkerLog): Pick<WorkerOptions, "openSource"> {
  // If this fails, opening the source fails.
  import("../source/service-job-source.ts").catch(() => undefined);
  return { openSource: () => serviceOf(log).openSource() };
}

/** The service that the environment names. A service of our own protocol has priority over the live one. */
function serviceOf(log: WorkerLog): Pick<WorkerOptions, "openSource" | "receiptLimitMs"> {
  const address = variable(process.env, WORKER_ENV.serviceAddress);
  const token = variable(process.env, WORKER_ENV.workerToken);
  if (address !== undefined && token !== undefined) {
    if (servicePlaces(address) === undefined)
      throw new UsageError(
        `${WORKER_ENV.serviceAddress} ${SERVICE_ADDRESS_RULE}; not "${address}".`,
      );
    return { openSource: serviceSource({ address, token }, log) };
  }
  if (address === undefined && isLiveEnvironment(process.env)) return live(log);
  throw new UsageError(
    `${WORKER_ENV.serviceAddress} (tls://host:port or unix:/path) and ${WORKER_ENV.workerToken} must be set, ` +
      `or on the live service ${LIVE_ENV.take}; sv-worker run needs no service.`,
  );
}

function live(log: WorkerLog): ReturnType<typeof liveSource> {
  try {
    return liveSource(process.env, log);
  } catch (error) {
    if (!(error instanceof LiveSettingsError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** Ends the worker with its launcher: the launcher holds the other end of standard input while it lives. */
function exitOnStdinEnd(worker: Worker): void {
  const end = (): void => {
    worker.killNow();
    process.exit(EXIT.failed);
  };
  process.stdin.on("end", end).on("error", end).on("close", end).resume();
}
