/** A handler process on its way to being ready, and on its way out. */
import {
  ORDER,
  REPORT,
  type FailedHead,
  type InitFailedHead,
  type LoadOrderHead,
  type ReadyHead,
  type PauseWords,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import type { Due, DueTimer } from "./ending/due-timer.ts";
import { exitFailure, type ProcessEnd } from "./ending/attribute-exit.ts";
import { HandlerProcess, type HandlerProcessOptions } from "./handler-process.ts";
import type { OutputLine } from "./handler-output.ts";
import type { SecretMask } from "./secret-mask.ts";

/** A time that a handler process is given for something. */
export interface Limit extends Due {
  reached(): void;
}

export interface HandlerStartOptions extends HandlerProcessOptions {
  /** For leaving in good order, and again between SIGTERM and SIGKILL, ms. */
  readonly graceMs: number;
}

export interface HandlerStartEvents {
  /** The handler is loaded and set up; `head` is set from now on. */
  ready(start: HandlerStart): void;
  /** Any frame after the one that said ready. */
  frame(start: HandlerStart, frame: Frame): void;
  line(line: OutputLine): void;
  /** A debugger holds the process, or lets it go on. */
  paused(start: HandlerStart, words: PauseWords): void;
  gone(start: HandlerStart, end: ProcessEnd): void;
}

/** Spawns the process on construction; it then waits for `load`. */
export class HandlerStart {
  readonly process: HandlerProcess;
  readonly #graceMs: number;
  readonly #mask: SecretMask;
  #limits: DueTimer<Limit>;
  #events: HandlerStartEvents;
  /** The one that runs: for becoming ready, for leaving, or for heeding SIGTERM. */
  #limit: Limit | undefined;
  #head: ReadyHead | undefined;
  #failure: Failure | undefined;
  #isLoading = false;
  #isSetupListening = false;
  #isEnding = false;

  /** @param limits where the times it is given are kept */
  constructor(options: HandlerStartOptions, limits: DueTimer<Limit>, events: HandlerStartEvents) {
    this.#graceMs = options.graceMs;
    this.#limits = limits;
    this.#mask = options.mask;
    this.#events = events;
    this.process = new HandlerProcess(options, {
      frame: (frame) => this.#obey(frame),
      line: (line) => this.#events.line(line),
      paused: (words) => this.#events.paused(this, words),
      gone: (end) => {
        this.#stopWaiting();
        this.#events.gone(this, end);
      },
    });
  }

  /** One that is idle changes hands: from now on its limits are kept there, and its events heard there. */
  handTo(limits: DueTimer<Limit>, events: HandlerStartEvents): void {
    this.#limits = limits;
    this.#events = events;
  }

  /** Set once the handler is ready. */
  get head(): ReadyHead | undefined {
    return this.#head;
  }

  /** Has the handler loaded and set up. Idempotent. */
  load(head: LoadOrderHead): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.process.send(ORDER.load, 0, head);
  }

  /** Ends the process if it is not ready by then. The first call counts. */
  readyWithin(limitMs: number): void {
    if (this.#limit !== undefined || this.#head !== undefined) return;
    this.#within(limitMs, () => {
      this.#failure ??= initFailure(
        `The handler was not ready after ${limitMs / 1_000} s: its module or its setup takes too long.`,
      );
      if (this.#hasToTidyUp) this.leave();
      else this.process.kill();
    });
  }

  /** Ends the process: in good order if it has something to tidy up and takes no longer than the grace. Idempotent. */
  leave(): void {
    if (this.#isEnding) return;
    if (!this.#hasToTidyUp) return this.end();
    this.#isEnding = true;
    this.process.send(ORDER.leave, 0);
    this.#within(this.#graceMs, () => this.end());
  }

  /** Asks the process to end, and makes it after the grace. */
  end(): void {
    this.#isEnding = true;
    this.process.terminate();
    this.#within(this.#graceMs, () => this.process.kill());
  }

  /** Why it did not become ready. */
  failureOf(end: ProcessEnd): Failure {
    return this.#failure ?? exitDuringInit(end, this.process.output.lastLines(undefined));
  }

  get #hasToTidyUp(): boolean {
    return this.#head === undefined ? this.#isSetupListening : this.#head.disposes === true;
  }

  #within(ms: number, reached: () => void): void {
    this.#stopWaiting();
    this.#limit = { dueAt: this.#limits.clock.now() + ms, reached };
    this.#limits.add(this.#limit);
  }

  #stopWaiting(): void {
    if (this.#limit !== undefined) this.#limits.remove(this.#limit);
  }

  #obey(frame: Frame): void {
    if (this.#head !== undefined) return this.#events.frame(this, frame);
    // Written by the handler process's own program, as its heads all are.
    if (frame.kind === REPORT.ready) {
      // It did not know yet that it is to leave, and will not wait for a job.
      if (this.#isEnding) return;
      this.#stopWaiting();
      this.#head = JSON.parse(frame.head) as ReadyHead;
      this.#events.ready(this);
    } else if (frame.kind === REPORT.setupListens) {
      this.#isSetupListening = true;
    } else if (frame.kind === REPORT.initFailed || frame.kind === REPORT.spoiled) {
      const head = JSON.parse(frame.head) as InitFailedHead | FailedHead;
      const { message, stack } = this.#mask.words(head);
      this.#failure ??= initFailure(message, stack);
    }
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
