/** Port: how workers come into being. Adapters: child processes, and later containers. */
import type { Endpoint } from "../core/endpoint.ts";
import type { Template } from "../core/template.ts";

/** Everything a launcher needs to know to start one worker. */
export interface WorkerOrder {
  readonly workerId: string;
  /** Secret by which the worker shows who it is. */
  readonly workerToken: string;
  readonly endpoint: Endpoint;
  readonly template: Template;
}

/** How a worker ended. */
export interface WorkerExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly outOfMemory: boolean;
  /** Set when the worker could not even be started; a sentence that says why. */
  readonly startError: string | undefined;
  /** The last lines it wrote, oldest first. */
  readonly lastLogLines: readonly string[];
}

/** A worker that was started; it may still be initializing. */
export interface LaunchedWorker {
  /** Settles once, when the worker and all its processes are gone. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Asks the worker to finish its jobs and leave. */
  drain(): void;
  /** Ends the worker and everything it started at once. */
  kill(): void;
}

export interface Launcher {
  /** Undefined when this launcher can run workers of the template, else a sentence that says why not. */
  refuses(template: Template): string | undefined;
  /** Starts a worker. Never throws: a failure to start is an exit with `startError`. */
  launch(order: WorkerOrder): LaunchedWorker;
  /** Ends all workers it started and waits until they are gone. Idempotent. */
  close(): Promise<void>;
}
