/** A handler process and the handler that is loaded into it, before and after it is ready. */
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
import { preloadHint } from "../protocol/environment/node-options.ts";
import { exitFailure, type ProcessEnd } from "./ending/attribute-exit.ts";
import type { DueTimer } from "./ending/due-timer.ts";
import { type Limit, ProcessLadder } from "./ending/ladder.ts";
import { handlerNodeOptions, HandlerProcess, type HandlerProcessOptions } from "./handler-child.ts";
import type { OutputLine } from "./handler-output.ts";
import type { SecretMask } from "./secret-mask.ts";

export interface HandlerInstanceOptions extends HandlerProcessOptions {
  /** Grace for an orderly end, and again between SIGTERM and SIGKILL, ms. */
  readonly graceMs: number;
}

export interface HandlerInstanceEvents {
  /** Called when the handler is loaded and set up. `head` is set then. */
  ready(instance: HandlerInstance): void;
  /** Called with each frame after the ready frame. */
  frame(instance: HandlerInstance, frame: Frame): void;
  line(line: OutputLine): void;
  /** Called when a debugger pauses or resumes the process. */
  paused(instance: HandlerInstance, notice: PauseNotice): void;
  gone(instance: HandlerInstance, end: ProcessEnd): void;
}

/** The process starts on construction, and then waits for `load`. */
export class HandlerInstance {
  readonly process: HandlerProcess;
  /** Ends the process. */
  readonly ladder: ProcessLadder;
  readonly #mask: SecretMask;
  #events: HandlerInstanceEvents;
  #head: ReadyHead | undefined;
  #failure: Failure | undefined;
  #isLoading = false;
  #isSetupListening = false;

  /** @param limits timer of the time limits */
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

  /** Hands an idle instance to another keeper, which gets its time limits and events from now on. */
  handTo(limits: DueTimer<Limit>, events: HandlerInstanceEvents): void {
    this.ladder.handTo(limits);
    this.#events = events;
  }

  /** Set once the handler is ready. */
  get head(): ReadyHead | undefined {
    return this.#head;
  }

  /** Orders the process to load and set up the handler. Idempotent. */
  load(head: LoadOrderHead): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.process.send(ORDER.load, 0, head);
  }

  /** Ends the process if it is not ready within the limit. Only the first call counts. */
  readyWithin(limitMs: number): void {
    if (this.#head !== undefined) return;
    this.ladder.readyWithin(limitMs, () => {
      this.#failure ??= initFailure(
        `The handler was not ready after ${limitMs / 1_000} s: its module or its setup takes too long.`,
      );
    });
  }

  /** Why the handler did not become ready. */
  failureOf(end: ProcessEnd): Failure {
    return this.#failure ?? exitDuringInit(end, this.process.output.lastLines(undefined));
  }

  /** Whether the handler has something to do before it leaves. */
  get hasToTidyUp(): boolean {
    return this.#head === undefined ? this.#isSetupListening : this.#head.disposes === true;
  }

  #handleFrame(frame: Frame): void {
    if (this.#head !== undefined) return this.#events.frame(this, frame);
    // The handler process's own program writes all heads, so they are valid.
    if (frame.kind === REPORT.ready) {
      // The process became ready before it read the order to leave. It gets no job.
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
  const hint = end.isEarly === true ? preloadHint(handlerNodeOptions()) : "";
  return { ...failure, message: message + hint };
}
