/** Starts the user's own HTTP server as the worker of a load balancing endpoint, on ports that are free. */
import { spawn } from "node:child_process";
import { killMarked, MARKER_NAME } from "../../../runtime/pipe/process-tree.ts";
import { SERVER_ENV, WORKER_ENV } from "../../../runtime/protocol/worker-env.ts";
import type { Template } from "../../core/resources/template.ts";
import type { LaunchedWorker, ServerAddress, WorkerExit, WorkerOrder } from "../launcher.ts";
import { serverSettings } from "../server-settings.ts";
import type { TakenPorts } from "./taken-ports.ts";
import { notStarted } from "../runs/worker-exit.ts";
import { asWorker, gpuEnv, inheritedEnvironment } from "./worker-process.ts";

export interface ServerLauncherOptions {
  /** Path of the program that runs the HTTP server of a load balancing endpoint's worker. */
  readonly serverProgram: string;
  /** What `SV_HANDLER` of a worker of this template is to be: the path of a handler module; undefined if none stands behind it. */
  handlerOf(template: Template): string | undefined;
  /** Further variables for the worker; those of its template win. Must not throw. */
  extraEnv?(order: WorkerOrder): Readonly<Record<string, string>>;
  /** Called with each line a worker writes. */
  line(order: WorkerOrder, line: string): void;
}

/** Its requests come through the emulator, which asks for the key. */
const HOST = "127.0.0.1";

/** The last one is the lifeline: the process ends as soon as nobody holds its other end. */
const STDIO = ["ignore", "pipe", "pipe", "ignore", "pipe"] as const;

/**
 * The numbers a template gives its ports say only whether there is one or two of them: on one machine no two workers can
 * have the same, so each gets others.
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
  const { template, endpoint, workerId } = order;
  // Its own session, so that Ctrl-C in the terminal reaches the emulator alone.
  const child = spawn(process.execPath, [options.serverProgram], {
    detached: true,
    stdio: [...STDIO],
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
      // By this the process finds what it started, should it outlive us.
      [MARKER_NAME]: workerId,
    },
  });
  child.stdio[4]?.on("error", () => undefined);
  // What it started may hold its output open, and is not to outlive it.
  child.once("exit", () => killMarked(WORKER_ENV.workerId, workerId));
  return asWorker("server", child, workerId, (line) => options.line(order, line));
}
