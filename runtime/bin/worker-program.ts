/** What `sv-worker` does: reads the environment, starts the worker, obeys signals, exits. */
import module from "node:module";
import { openWorkerLog } from "../log/worker-log.ts";
import { WORKER_ENV } from "../protocol/worker-env.ts";
import { RUNTIME_VERSION } from "../version.ts";
import { startWorker, type Worker, type WorkerEnd } from "../worker.ts";

const EXIT_CODES: Readonly<Record<WorkerEnd, number>> = {
  drained: 0,
  stopped: 1,
  "handler-unusable": 3,
  refused: 4,
};
const USAGE_EXIT_CODE = 2;

export async function runWorkerProgram(): Promise<void> {
  const env = process.env;
  const handler = process.argv[2] ?? env[WORKER_ENV.handler];
  const address = env[WORKER_ENV.serviceAddress];
  const token = env[WORKER_ENV.workerToken];
  if (handler === undefined || address === undefined || token === undefined) {
    process.stderr.write(
      `usage: sv-worker [handler]\n` +
        `${WORKER_ENV.serviceAddress} (host:port or unix:/path) and ${WORKER_ENV.workerToken} must be set, ` +
        `and the handler be given or named by ${WORKER_ENV.handler}.\n`,
    );
    process.exit(USAGE_EXIT_CODE);
  }
  const log = openWorkerLog(env[WORKER_ENV.logFormat] === "pretty" ? "pretty" : "json");
  // Before anything is started: a signal's default action would leave the handler process without its supervisor.
  obeySignals({ drain: () => worker.drain(), stop: () => worker.stop() });
  const worker = startWorker({
    handler,
    log,
    env: compileCacheEnv(),
    openSource: async () => {
      const { GrpcJobSource } = await import("../source/grpc.ts");
      return new GrpcJobSource({
        address,
        token,
        runtimeVersion: RUNTIME_VERSION,
        onDisconnect: (reason, retryInMs) =>
          log.write("warn", `lost the connection to the service: ${reason}`, { retryInMs }),
      });
    },
  });
  process.on("exit", () => worker.killNow());
  if (env[WORKER_ENV.exitOnStdinEnd] === "1") exitOnStdinEnd(worker);
  process.exit(EXIT_CODES[await worker.ended]);
}

function obeySignals(worker: Pick<Worker, "drain" | "stop">): void {
  let signals = 0;
  const obey = (): void => {
    signals++;
    if (signals === 1) worker.drain();
    else worker.stop();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, obey);
}

/** The launcher holds the other end as long as it lives: a killed launcher leaves no worker behind. */
function exitOnStdinEnd(worker: Worker): void {
  const end = (): void => {
    worker.killNow();
    process.exit(EXIT_CODES.stopped);
  };
  process.stdin.on("end", end).on("error", end).on("close", end).resume();
}

/** The handler process shares this process's cache of compiled modules: it starts faster. */
function compileCacheEnv(): Record<string, string> {
  const directory = module.getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}
