/** Launcher that runs workers in this process, for endpoints with functions as handlers. */
import { Buffer } from "node:buffer";
import type { Template } from "../core/resources/templates/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "./launcher.ts";
import { localLauncher } from "./local-launcher.ts";
import { LineTail } from "./runs/line-tail.ts";
import { exitWith } from "./runs/worker-exit.ts";

export interface InProcessWorker {
  /** Resolves when the worker has ended, to the exit code that a process would have had. Never rejects. */
  readonly ended: Promise<number>;
  drain(): void;
  stop(): void;
}

export interface InProcessLauncherOptions {
  /** Whether the template stands for a function. */
  has(template: Template): boolean;
  /** Starts a worker. `line` is called with each line of its log. */
  start(order: WorkerOrder, line: (line: string) => void): InProcessWorker;
  line(order: WorkerOrder, line: string): void;
}

export function createInProcessLauncher(options: InProcessLauncherOptions): Launcher {
  return localLauncher({
    what: "function",
    has: (template) => options.has(template),
    launch: (order) => launch(options, order),
  });
}

function launch(options: InProcessLauncherOptions, order: WorkerOrder): LaunchedWorker {
  const tail = new LineTail((text) => options.line(order, text));
  const worker = options.start(order, (text) => tail.push(Buffer.from(`${text}\n`)));
  return {
    kind: "function",
    exited: worker.ended.then((exitCode) => exitWith({ exitCode, lastLogLines: tail.end() })),
    drain: () => worker.drain(),
    kill: () => worker.stop(),
  };
}
