/** A handler process together with how far it has come on its way to being ready. */
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
import type { SecretMask } from "./secret-mask.ts";

export interface HandlerStartEvents {
  /** The handler is loaded and set up; `head` is set from now on. */
  ready(start: HandlerStart): void;
  /** Any frame after the one that said ready. */
  frame(start: HandlerStart, frame: Frame): void;
  line(line: OutputLine): void;
  gone(start: HandlerStart, end: ProcessEnd): void;
}

/** Spawns the process on construction; it then waits for `load`. */
export class HandlerStart {
  readonly process: HandlerProcess;
  readonly #mask: SecretMask;
  readonly #events: HandlerStartEvents;
  #head: ReadyHead | undefined;
  #failure: Failure | undefined;
  #isLoading = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HandlerProcessOptions, events: HandlerStartEvents) {
    this.#mask = options.mask;
    this.#events = events;
    this.process = new HandlerProcess(options, {
      frame: (frame) => this.#obey(frame),
      line: (line) => events.line(line),
      gone: (end) => {
        this.stopWaiting();
        events.gone(this, end);
      },
    });
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

  /** Kills the process if it is not ready by then. The first call counts. */
  readyWithin(limitMs: number): void {
    if (this.#timer !== undefined || this.#head !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#failure ??= initFailure(
        `The handler was not ready after ${limitMs / 1_000} s: its module or its setup takes too long.`,
      );
      this.process.kill();
    }, limitMs);
  }

  stopWaiting(): void {
    clearTimeout(this.#timer);
  }

  /** Why it did not become ready. */
  failureOf(end: ProcessEnd): Failure {
    return this.#failure ?? exitDuringInit(end, this.process.output.lastLines(undefined));
  }

  #obey(frame: Frame): void {
    if (this.#head !== undefined) return this.#events.frame(this, frame);
    // Written by the handler process's own program, as its heads all are.
    if (frame.kind === REPORT.ready) {
      this.stopWaiting();
      this.#head = JSON.parse(frame.head) as ReadyHead;
      this.#events.ready(this);
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
