/** Launcher that runs each worker as a child process: `sv-worker` with a handler module from this machine's files. */
import { type ChildProcess, spawn } from "node:child_process";
import { endMarked, killMarked } from "../../runtime/pipe/process-tree.ts";
import { WORKER_ENV } from "../../runtime/protocol/worker-env.ts";
import type { Template } from "../core/template.ts";
import type { LaunchedWorker, Launcher, WorkerExit, WorkerOrder } from "./launcher.ts";
import { LineTail } from "./line-tail.ts";

export interface ProcessLauncherOptions {
  /** Path of the program `sv-worker`. */
  readonly program: string;
  /** The address of the worker port, asked for at each launch. */
  serviceAddress(): string;
  /** What `SV_HANDLER` of a worker of this template is to be: the path of a handler module; undefined if none stands behind it. */
  handlerOf(template: Template): string | undefined;
  /** Further variables for the worker; those of its template win. Must not throw. */
  extraEnv?(order: WorkerOrder): Readonly<Record<string, string>>;
  /** Called with each line a worker writes. */
  line(order: WorkerOrder, line: string): void;
}

/** Variables of the emulator's own environment that are not the workers' business. */
const PRIVATE_VARIABLE = /^SV_/u;

export function createProcessLauncher(options: ProcessLauncherOptions): Launcher {
  const running = new Map<LaunchedWorker, Promise<WorkerExit>>();
  return {
    refuses(template) {
      if (options.handlerOf(template) !== undefined) return undefined;
      return `no handler file is served for the image "${template.imageName}"`;
    },
    launch(order) {
      const worker = launch(options, order);
      running.set(worker, worker.exited);
      void worker.exited.then(() => running.delete(worker));
      return worker;
    },
    async close() {
      for (const worker of running.keys()) worker.kill();
      await Promise.all(running.values());
    },
  };
}

function launch(options: ProcessLauncherOptions, order: WorkerOrder): LaunchedWorker {
  // Its own session, so that Ctrl-C in the terminal reaches the emulator alone; its standard input is held open
  // by us, so that it sees our end even if we are killed.
  const child = spawn(process.execPath, [options.program], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(options, order),
  });
  const tail = new LineTail((line) => options.line(order, line));
  child.stdout.on("data", (bytes: Buffer) => tail.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => tail.push(bytes));
  child.stdin.on("error", () => undefined);
  return {
    exited: exitOf(child, tail).then(async (exit) => {
      // Its handler process ends by itself as soon as the worker is gone, unless it is stopped or hangs.
      await endMarked(WORKER_ENV.workerId, order.workerId);
      return exit;
    }),
    drain: () => void child.kill("SIGTERM"),
    kill: () => {
      child.kill("SIGKILL");
      // These end by themselves when the worker is gone, unless they are stopped.
      killMarked(WORKER_ENV.workerId, order.workerId);
    },
  };
}

function environment(options: ProcessLauncherOptions, order: WorkerOrder): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !PRIVATE_VARIABLE.test(name));
  return {
    ...Object.fromEntries(inherited),
    ...options.extraEnv?.(order),
    ...order.template.env,
    [WORKER_ENV.serviceAddress]: options.serviceAddress(),
    [WORKER_ENV.workerToken]: order.workerToken,
    [WORKER_ENV.workerId]: order.workerId,
    [WORKER_ENV.endpointId]: order.endpoint.id,
    [WORKER_ENV.handler]: options.handlerOf(order.template),
    [WORKER_ENV.logFormat]: "json",
    [WORKER_ENV.exitOnStdinEnd]: "1",
  };
}

function exitOf(child: ChildProcess, tail: LineTail): Promise<WorkerExit> {
  const { promise, resolve } = Promise.withResolvers<WorkerExit>();
  const settle = (exit: Partial<WorkerExit>) => {
    resolve({
      exitCode: undefined,
      signal: undefined,
      outOfMemory: false,
      startError: undefined,
      lastLogLines: tail.end(),
      ...exit,
    });
  };
  child.once("error", (error) => settle({ startError: error.message }));
  child.once("close", (code, signal) =>
    settle({ exitCode: code ?? undefined, signal: signal ?? undefined }),
  );
  return promise;
}
