/** Launcher that runs workers in this very process, for endpoints whose handlers are functions of its own. */
import { Buffer } from "node:buffer";
import type { Template } from "../core/resources/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "./launcher.ts";
import { localLauncher } from "./local-launcher.ts";
import { LineTail } from "./runs/line-tail.ts";
import { exitWith } from "./runs/worker-exit.ts";

/** A worker that shares this process. */
export interface InProcessWorker {
  /** Settles when it is gone, with the code that a process of its own would have ended with. Never rejects. */
  readonly ended: Promise<number>;
  drain(): void;
  stop(): void;
}

export interface InProcessLauncherOptions {
  /** Whether a function stands behind the template. */
  has(template: Template): boolean;
  /** Starts a worker that calls `line` with each line of its log. */
  start(order: WorkerOrder, line: (line: string) => void): InProcessWorker;
  /** Called with each line a worker writes. */
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
