/** Launcher that runs each worker as a child process: `sv-worker` with a handler module from this machine's files, or the user's server. */
import { spawn } from "node:child_process";
import { WORKER_ENV } from "../../../runtime/protocol/worker-env.ts";
import type { Template } from "../../core/resources/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "../launcher.ts";
import { RunningWorkers } from "./running-workers.ts";
import { launchServer } from "./server-worker.ts";
import { TakenPorts } from "./taken-ports.ts";
import { asWorker, gpuEnv, inheritedEnvironment, refusedWorker } from "./worker-process.ts";
import { workerEnvironment } from "../worker-environment.ts";

export interface ProcessLauncherOptions {
  /** Path of the program `sv-worker`. */
  readonly program: string;
  /** Path of the program that runs the HTTP server of a load balancing endpoint's worker. */
  readonly serverProgram: string;
  /** The address of the worker port, asked for at each launch. */
  serviceAddress(): string;
  /** What `SV_HANDLER` of a worker of this template is to be: the path of a handler module; undefined if none stands behind it. */
  handlerOf(template: Template): string | undefined;
  /** Further variables for the worker; those of its template win. Must not throw. */
  extraEnv?(order: WorkerOrder): Readonly<Record<string, string>>;
  /** Called with each line a worker writes. */
  line(order: WorkerOrder, line: string): void;
}

export function createProcessLauncher(options: ProcessLauncherOptions): Launcher {
  const running = new RunningWorkers();
  const ports = new TakenPorts();
  return {
    refuses(template) {
      if (options.handlerOf(template) !== undefined) return undefined;
      return `no handler file is served for the image "${template.imageName}"`;
    },
    launch(order) {
      const isServer = order.endpoint.type === "LOAD_BALANCING";
      return running.add(isServer ? launchServer(options, order, ports) : launch(options, order));
    },
    close: async () => running.end(),
  };
}

function launch(options: ProcessLauncherOptions, order: WorkerOrder): LaunchedWorker {
  try {
    const worker = asWorker(start(options, order), order.workerId, (line) =>
      options.line(order, line),
    );
    return { ...worker, reloads: true };
  } catch (error) {
    // Thrown at once where its environment is longer than the system allows.
    return refusedWorker(error);
  }
}

function start(options: ProcessLauncherOptions, order: WorkerOrder) {
  // Its own session, so that Ctrl-C in the terminal reaches the emulator alone; its standard input is held open
  // by us, so that it sees our end even if we are killed.
  const child = spawn(process.execPath, [options.program], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(options, order),
  });
  child.stdin.on("error", () => undefined);
  return child;
}

function environment(options: ProcessLauncherOptions, order: WorkerOrder): NodeJS.ProcessEnv {
  return {
    ...inheritedEnvironment(),
    ...workerEnvironment(order, options.serviceAddress(), { extra: options.extraEnv?.(order) }),
    ...gpuEnv(order),
    [WORKER_ENV.handler]: options.handlerOf(order.template),
  };
}
