/** A handler process with the handler that is loaded into it: on its way to being ready, and ready. */
import {
  ORDER,
  REPORT,
  type FailedHead,
  type InitFailedHead,
  type LoadOrderHead,
  type ReadyHead,
  type PauseNotice,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import { exitFailure, type ProcessEnd } from "./ending/attribute-exit.ts";
import type { DueTimer } from "./ending/due-timer.ts";
import { type Limit, ProcessLadder } from "./ending/ladder.ts";
import { HandlerProcess, type HandlerProcessOptions } from "./handler-child.ts";
import type { OutputLine } from "./handler-output.ts";
import type { SecretMask } from "./secret-mask.ts";

export interface HandlerInstanceOptions extends HandlerProcessOptions {
  /** For leaving in good order, and again between SIGTERM and SIGKILL, ms. */
  readonly graceMs: number;
}

export interface HandlerInstanceEvents {
  /** The handler is loaded and set up; `head` is set from now on. */
  ready(instance: HandlerInstance): void;
  /** Any frame after the one that said ready. */
  frame(instance: HandlerInstance, frame: Frame): void;
  line(line: OutputLine): void;
  /** A debugger holds the process, or lets it go on. */
  paused(instance: HandlerInstance, notice: PauseNotice): void;
  gone(instance: HandlerInstance, end: ProcessEnd): void;
}

/** Spawns the process on construction; it then waits for `load`. */
export class HandlerInstance {
  readonly process: HandlerProcess;
  /** How it is ended. */
  readonly ladder: ProcessLadder;
  readonly #mask: SecretMask;
  #events: HandlerInstanceEvents;
  #head: ReadyHead | undefined;
  #failure: Failure | undefined;
  #isLoading = false;
  #isSetupListening = false;

  /** @param limits where the times it is given are kept */
  constructor(
    options: HandlerInstanceOptions,
    limits: DueTimer<Limit>,
    events: HandlerInstanceEvents,
  ) {
    this.#mask = options.mask;
    this.#events = events;
    this.process = new HandlerProcess(options, {
      frame: (frame) => this.#handleFrame(frame),
      line: (line) => this.#events.line(line),
      paused: (notice) => this.#events.paused(this, notice),
      broken: () => this.ladder.kill(),
      gone: (end) => {
        this.ladder.stopWaiting();
        this.#events.gone(this, end);
      },
    });
    this.ladder = new ProcessLadder(this, options.graceMs, limits);
  }

  /** Hands an idle instance to another keeper, which from now on has its limits and its events. */
  handTo(limits: DueTimer<Limit>, events: HandlerInstanceEvents): void {
    this.ladder.handTo(limits);
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
    if (this.#head !== undefined) return;
    this.ladder.readyWithin(limitMs, () => {
      this.#failure ??= initFailure(
        `The handler was not ready after ${limitMs / 1_000} s: its module or its setup takes too long.`,
      );
    });
  }

  /** Why it did not become ready. */
  failureOf(end: ProcessEnd): Failure {
    return this.#failure ?? exitDuringInit(end, this.process.output.lastLines(undefined));
  }

  /** Whether the handler would do something on being told to leave. */
  get hasToTidyUp(): boolean {
    return this.#head === undefined ? this.#isSetupListening : this.#head.disposes === true;
  }

  #handleFrame(frame: Frame): void {
    if (this.#head !== undefined) return this.#events.frame(this, frame);
    // Written by the handler process's own program, as its heads all are.
    if (frame.kind === REPORT.ready) {
      // It became ready before it read the order to leave; it gets no job.
      if (this.ladder.isEnding) return;
      this.ladder.stopWaiting();
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
