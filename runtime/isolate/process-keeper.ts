/** Keeps a handler process ready: starts it, loads the handler into it, ends it when it is spoiled, starts the next. */
import { backoffMs } from "../core/backoff.ts";
import {
  ORDER,
  REPORT,
  type FailedHead,
  type InitFailedHead,
  type LoadOrderHead,
  type ReadyHead,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import { exitFailure, type ProcessEnd } from "./ending/verdict.ts";
import { HandlerProcess, type HandlerProcessOptions } from "./handler-process.ts";
import type { OutputLine } from "./handler-output.ts";

/** A handler that was ready once may fail to come back this often in a row, for example while a file is replaced. */
const MAX_RESTART_FAILURES = 5;
const restartTerms = { firstMs: 500, maxMs: 30_000 };

export interface KeeperOptions extends HandlerProcessOptions {
  /** Between SIGTERM and SIGKILL, ms. */
  readonly graceMs: number;
  /** How long loading and setup may take together, ms. */
  readonly initLimitMs: number;
}

export interface KeeperEvents {
  ready(concurrency: number): void;
  /** Any frame that is about jobs. */
  frame(frame: Frame): void;
  line(line: OutputLine): void;
  /** A process that had been ready is gone; the next one is on its way. */
  gone(end: ProcessEnd, lastLines: (jobId: string) => string[]): void;
  /** The handler did not come back this time; another try follows. */
  restartFailed(failure: Failure, retryInMs: number): void;
  /** The handler cannot be made ready; there will be no process any more. */
  unusable(failure: Failure): void;
}

type State = "idle" | "starting" | "ready" | "ending" | "pausing" | "stopped";

/**
 * idle → starting → ready → ending → starting …; a start that fails goes by way of pausing. Every state leads to
 * stopped.
 */
export class ProcessKeeper {
  readonly #options: KeeperOptions;
  readonly #events: KeeperEvents;
  readonly #stopped = Promise.withResolvers<void>();
  #state: State = "idle";
  #process: HandlerProcess | undefined;
  #load: LoadOrderHead | undefined;
  #initFailure: Failure | undefined;
  #wasReady = false;
  /** The handler of the process that runs now has something to do before it ends. */
  #disposes = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeeperOptions, events: KeeperEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** The process starts at once; what to load into it may be told later. */
  start(): void {
    if (this.#state === "idle") this.#spawn();
  }

  /** Call once. */
  load(head: LoadOrderHead): void {
    this.#load = head;
    this.#process?.send(ORDER.load, 0, head);
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  send(kind: number, slot: number, head?: object, payload?: Uint8Array): void {
    this.#process?.send(kind, slot, head, payload);
  }

  lastLines(jobId: string): string[] {
    return this.#process?.output.lastLines(jobId) ?? [];
  }

  /** The process is spoiled: it is asked to end, then made to. The next one starts when it is gone. */
  condemn(): void {
    if (this.#state !== "ready" && this.#state !== "starting") return;
    this.#state = "ending";
    this.#end();
  }

  /** The process has done its work and leaves in good order. The next one starts when it is gone. */
  retire(): void {
    if (this.#state !== "ready") return;
    this.#state = "ending";
    this.#leave();
  }

  /**
   * Ends the process for good. Idempotent.
   *
   * @param isIdle true: no job is in it, so that it may leave in good order
   */
  stop(isIdle = false): Promise<void> {
    if (this.#state === "stopped") return this.#stopped.promise;
    const wasEnding = this.#state === "ending";
    const wasReady = this.#state === "ready";
    this.#state = "stopped";
    if (this.#process === undefined) {
      clearTimeout(this.#timer);
      this.#stopped.resolve();
    } else if (isIdle && wasReady) {
      this.#leave();
    } else if (!wasEnding) {
      this.#end();
    }
    return this.#stopped.promise;
  }

  /** For the last moment of the supervisor: kills without waiting. */
  killNow(): void {
    void this.stop();
    this.#process?.kill();
  }

  /** The handler may dispose of what it holds; it gets a grace for that. */
  #leave(): void {
    if (!this.#disposes) return this.#end();
    this.#process?.send(ORDER.leave, 0);
    this.#timer = setTimeout(() => this.#end(), this.#options.graceMs);
  }

  #end(): void {
    const { graceMs } = this.#options;
    const process = this.#process;
    process?.terminate();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => process?.kill(), graceMs);
  }

  #spawn(): void {
    const { initLimitMs } = this.#options;
    this.#state = "starting";
    this.#initFailure = undefined;
    this.#process = new HandlerProcess(this.#options, {
      frame: (frame) => this.#obey(frame),
      line: (line) => this.#events.line(line),
      gone: (end) => this.#gone(end),
    });
    if (this.#load !== undefined) this.#process.send(ORDER.load, 0, this.#load);
    this.#timer = setTimeout(() => {
      this.#initFailure ??= initFailure(
        `The handler was not ready after ${initLimitMs / 1_000} s: its module or its setup takes too long.`,
      );
      this.#process?.kill();
    }, initLimitMs);
  }

  #obey(frame: Frame): void {
    if (this.#state === "ready") return this.#events.frame(frame);
    if (this.#state !== "starting") return;
    // Written by the handler process's own program, as its heads all are.
    if (frame.kind === REPORT.ready) {
      clearTimeout(this.#timer);
      this.#state = "ready";
      this.#wasReady = true;
      this.#failures = 0;
      const { concurrency, disposes = false } = JSON.parse(frame.head) as ReadyHead;
      this.#disposes = disposes;
      this.#events.ready(concurrency);
    } else if (frame.kind === REPORT.initFailed || frame.kind === REPORT.spoiled) {
      const { message, stack } = JSON.parse(frame.head) as InitFailedHead | FailedHead;
      this.#initFailure ??= initFailure(message, stack);
    }
  }

  #gone(end: ProcessEnd): void {
    const process = this.#process;
    const state = this.#state;
    const lastLines = (jobId?: string): string[] => process?.output.lastLines(jobId) ?? [];
    clearTimeout(this.#timer);
    this.#process = undefined;
    // Nobody may take it for ready while its jobs are settled.
    if (state !== "stopped") this.#state = "pausing";
    this.#events.gone(end, lastLines);
    if (state === "stopped") return this.#stopped.resolve();
    if (state === "starting") return this.#startFailed(end, lastLines());
    this.#spawn();
  }

  #startFailed(end: ProcessEnd, lastLines: readonly string[]): void {
    const failure = this.#initFailure ?? exitDuringInit(end, lastLines);
    this.#failures++;
    if (!this.#wasReady || this.#failures > MAX_RESTART_FAILURES) {
      this.#state = "stopped";
      this.#stopped.resolve();
      return this.#events.unusable(failure);
    }
    const waitMs = backoffMs(this.#failures, restartTerms, Math.random());
    this.#state = "pausing";
    this.#timer = setTimeout(() => this.#spawn(), waitMs);
    this.#events.restartFailed(failure, waitMs);
  }
}

function initFailure(message: string, stack?: string): Failure {
  return { type: "handler_error", message, ...(stack === undefined ? {} : { stack }) };
}

function exitDuringInit(end: ProcessEnd, lastLines: readonly string[]): Failure {
  const failure = exitFailure(end, lastLines);
  const message = failure.message.replace(
    "while it worked on the job",
    "before the handler was ready",
  );
  return { ...failure, message };
}
