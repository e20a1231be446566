/** A worker inside a program of the user's own, for those who do not want `sv-worker` to be the main program. */
import { fileURLToPath } from "node:url";
import { openWorkerLog, type LogFormat } from "./log/worker-log.ts";
import { WORKER_ENV } from "./protocol/worker-env.ts";
import { RUNTIME_VERSION } from "./version.ts";
import { startWorker, type Worker, type WorkerEnd } from "./worker.ts";

/** How to run a worker; every part has a default. */
export interface StartWorkerOptions {
  /** gRPC address of the service, `host:port` or `unix:/path`; default `SV_SERVICE_ADDRESS`. */
  readonly serviceAddress?: string;
  /** This worker's token; default `SV_WORKER_TOKEN`. */
  readonly workerToken?: string;
  /** How the worker writes its log to standard error; default `SV_LOG_FORMAT`, else `json`. */
  readonly logFormat?: LogFormat;
  /** Between the abort signal and SIGTERM, and between SIGTERM and SIGKILL; ms, default 5,000 (ours). */
  readonly graceMs?: number;
  /** How long importing the handler and its `setup` may take together; ms, default 7 minutes (ours). */
  readonly initLimitMs?: number;
  /** How long running jobs may go on after `drain`, before they are handed back; ms, default 30,000 (ours). */
  readonly drainLimitMs?: number;
  /** Added to the handler process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A worker that runs. */
export interface StartedWorker {
  /** Settles once, with the reason, when the handler process is gone and the service was left. Never rejects. */
  readonly ended: Promise<WorkerEnd>;
  /** Takes no further job, finishes what runs, hands back the rest. Idempotent. */
  drain(): void;
  /** Hands back everything and ends at once. Idempotent. */
  stop(): void;
}

/** There is no address or no token, neither in the options nor in the environment. */
class MissingSettingError extends Error {
  override readonly name = "MissingSettingError";
  readonly code = "missing_setting";
}

/** @throws MissingSettingError */
export function startOwnWorker(handler: string | URL, options: StartWorkerOptions): StartedWorker {
  const { serviceAddress, workerToken, logFormat, ...more } = options;
  const address = setting("serviceAddress", serviceAddress, WORKER_ENV.serviceAddress);
  const token = setting("workerToken", workerToken, WORKER_ENV.workerToken);
  const fromEnv = process.env[WORKER_ENV.logFormat] === "pretty" ? "pretty" : "json";
  const log = openWorkerLog(logFormat ?? fromEnv);
  const worker = startWorker({
    ...more,
    handler: handler instanceof URL ? fileURLToPath(handler) : handler,
    log,
    openSource: async () => {
      const { GrpcJobSource } = await import("./source/grpc.ts");
      return new GrpcJobSource({
        address,
        token,
        runtimeVersion: RUNTIME_VERSION,
        onDisconnect: (reason, retryInMs) =>
          log.write("warn", `lost the connection to the service: ${reason}`, { retryInMs }),
      });
    },
  });
  killWithThisProcess(worker);
  return {
    ended: worker.ended,
    drain: () => worker.drain(),
    stop: () => worker.stop(),
  };
}

function setting(option: string, given: string | undefined, variable: string): string {
  const value = given ?? process.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new MissingSettingError(
    `A worker needs the option ${option}, or the variable ${variable}.`,
  );
}

/** A program that ends early leaves no handler process behind. */
function killWithThisProcess(worker: Worker): void {
  const kill = (): void => worker.killNow();
  process.on("exit", kill);
  void worker.ended.then(() => process.off("exit", kill));
}
