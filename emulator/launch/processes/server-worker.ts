/** Starts the user's HTTP server as the worker of a load balancing endpoint, on free ports. */
import { spawn } from "node:child_process";
import { killMarked, MARKER_NAME } from "../../../runtime/pipe/process-tree.ts";
import { watchProcess } from "../../../runtime/pipe/watchdog.ts";
import { SERVER_ENV, WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import { needDescriptors } from "../../../runtime/system/descriptors.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { LaunchedWorker, ServerAddress, WorkerExit, WorkerOrder } from "../launcher.ts";
import { serverSettings } from "../server-settings.ts";
import type { TakenPorts } from "./taken-ports.ts";
import { notStarted } from "../runs/worker-exit.ts";
import { asWorker, gpuEnv, inheritedEnvironment } from "./worker-process.ts";

export interface ServerLauncherOptions {
  /** Path of the program that runs the HTTP server of a load balancing endpoint's worker. */
  readonly serverProgram: string;
  /** Path of the template's handler module, for `SV_HANDLER`. Undefined for a template without one. */
  handlerOf(template: Template): string | undefined;
  /** More variables for the worker. The template's variables override them. Must not throw. */
  extraEnv?(order: WorkerOrder): Readonly<Record<string, string>>;
  /** Called with each line that a worker writes. */
  line(order: WorkerOrder, line: string): void;
}

/** Address of servers. Requests come through the emulator, which checks the key. */
const HOST = "127.0.0.1";

/**
 * Gives each worker ports of its own, because no two workers of one machine can have the same. The template's numbers only say
 * whether there are one or two ports.
 */
export function launchServer(
  options: ServerLauncherOptions,
  order: WorkerOrder,
  ports: TakenPorts,
): LaunchedWorker {
  const { promise: server, resolve: serves } = Promise.withResolvers<ServerAddress>();
  const taken: number[] = [];
  let worker: LaunchedWorker | undefined;
  let ended: WorkerExit | undefined;
  const start = async (): Promise<WorkerExit> => {
    const address = await addressFor(order, ports, taken);
    if (ended) return ended;
    worker = startServer(options, order, address);
    serves(address);
    return worker.exited;
  };
  const leave = (how: "drain" | "kill") => {
    if (worker) worker[how]();
    else ended = notStarted("it was stopped before it was started");
  };
  return {
    kind: "server",
    server,
    place: () => worker?.place?.() ?? {},
    freeze: async (isFrozen) => {
      if (worker?.freeze === undefined) throw new Error("it has not begun to run");
      await worker.freeze(isFrozen);
    },
    memoryBytes: () => worker?.memoryBytes?.(),
    exited: start()
      .catch((error: unknown) => notStarted(String(error)))
      .finally(() => ports.release(taken)),
    drain: () => leave("drain"),
    kill: () => leave("kill"),
  };
}

async function addressFor(
  { template }: WorkerOrder,
  ports: TakenPorts,
  taken: number[],
): Promise<ServerAddress> {
  const settings = serverSettings(template);
  const { healthPath } = settings;
  const port = await ports.take();
  taken.push(port);
  if (settings.healthPort === settings.port) return { port, healthPort: port, healthPath };
  const healthPort = await ports.take();
  taken.push(healthPort);
  return { port, healthPort, healthPath };
}

function startServer(
  options: ServerLauncherOptions,
  order: WorkerOrder,
  address: ServerAddress,
): LaunchedWorker {
  needDescriptors();
  const { template, endpoint, workerId } = order;
  // The process has its own session: Ctrl-C in the terminal reaches the emulator alone.
  const child = spawn(process.execPath, [options.serverProgram], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inheritedEnvironment(),
      ...options.extraEnv?.(order),
      [SERVER_ENV.host]: HOST,
      [SERVER_ENV.healthPath]: serverSettings(template).writtenHealthPath,
      ...template.env,
      ...gpuEnv(order),
      [SERVER_ENV.port]: String(address.port),
      [SERVER_ENV.healthPort]: String(address.healthPort),
      [WORKER_ENV.workerId]: workerId,
      [WORKER_ENV.endpointId]: endpoint.id,
      [WORKER_ENV.handler]: options.handlerOf(template),
      // All processes that the server starts inherit this marker; it is used to find and kill them.
      [MARKER_NAME]: workerId,
    },
  });
  const unwatch =
    child.pid === undefined ? undefined : watchProcess(options.serverProgram, child.pid, workerId);
  child.once("exit", () => {
    // A process that the server started may hold its output open, and must not outlive it.
    killMarked(WORKER_ENV.workerId, workerId);
    unwatch?.();
  });
  const mark = [WORKER_ENV.workerId, workerId] as const;
  return asWorker("server", child, mark, {
    gpus: order.gpus,
    line: (text) => options.line(order, text),
  });
}
