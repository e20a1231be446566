/** Launcher that runs each worker as a child process: `sv-worker` with a handler file of this machine, or the user's server. */
import { needDescriptors } from "../../../runtime/system/descriptors.ts";
import { WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "../launcher.ts";
import { localLauncher } from "../local-launcher.ts";
import { launchServer, type ServerLauncherOptions } from "./server-worker.ts";
import { startSupervisor } from "./supervisor.ts";
import { TakenPorts } from "./taken-ports.ts";
import { refusedWorker } from "../runs/worker-exit.ts";
import { asWorker, gpuEnv, inheritedEnvironment } from "./worker-process.ts";
import { workerEnvironment } from "../worker-environment.ts";

export interface ProcessLauncherOptions extends ServerLauncherOptions {
  /** Path of the program `sv-worker`. */
  readonly program: string;
  /** Returns the address of the worker port; called at each launch. */
  serviceAddress(): string;
}

export function createProcessLauncher(options: ProcessLauncherOptions): Launcher {
  const ports = new TakenPorts();
  return localLauncher({
    what: "handler file",
    has: (template) => options.handlerOf(template) !== undefined,
    launch(order) {
      const isServer = order.endpoint.type === "LOAD_BALANCING";
      return isServer ? launchServer(options, order, ports) : launch(options, order);
    },
  });
}

function launch(options: ProcessLauncherOptions, order: WorkerOrder): LaunchedWorker {
  try {
    needDescriptors();
    const isPlain = Object.keys(order.template.env).length === 0;
    const { child, mark } = startSupervisor(options.program, environment(options, order), isPlain);
    const worker = asWorker("process", child, mark, {
      gpus: order.gpus,
      line: (text) => options.line(order, text),
    });
    return { ...worker, reloads: true };
  } catch (error) {
    // The system refuses an environment that is too long.
    return refusedWorker("process", error);
  }
}

function environment(options: ProcessLauncherOptions, order: WorkerOrder): NodeJS.ProcessEnv {
  return {
    ...inheritedEnvironment(),
    ...workerEnvironment(order, options.serviceAddress(), { extra: options.extraEnv?.(order) }),
    ...gpuEnv(order),
    [WORKER_ENV.handler]: options.handlerOf(order.template),
  };
}
