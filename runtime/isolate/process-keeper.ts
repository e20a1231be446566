/** Keeps a handler process ready: starts it, loads the handler into it, ends it when it is spoiled, starts the next. */
import type { PausableClock } from "../core/pausable-clock.ts";
import type { LoadOrderHead } from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import { stubbornLine } from "./ending/failure-report.ts";
import { DueTimer } from "./ending/due-timer.ts";
import { type Limit, Respawn } from "./ending/ladder.ts";
import type { ProcessEnd } from "./ending/attribute-exit.ts";
import {
  HandlerStart,
  type HandlerStartEvents,
  type HandlerStartOptions,
} from "./handler-start.ts";
import type { IsolateEvents } from "./job-isolate.ts";
import { Standby, type StandbyOptions } from "./standby.ts";

export type KeeperOptions = HandlerStartOptions & StandbyOptions;

export interface KeeperEvents extends Pick<
  IsolateEvents,
  "ready" | "line" | "restartFailed" | "standbyReady" | "standbyFailed" | "unusable"
> {
  /** Any frame that is about jobs. */
  frame(frame: Frame): void;
  /** A debugger holds the process, or has let go of it: the clock was paused or resumed. */
  clockChanged(): void;
  /** A process that had been ready is gone; the next one is on its way. */
  gone(end: ProcessEnd, lastLines: (jobId: string) => string[]): void;
}

type State = "idle" | "starting" | "ready" | "ending" | "pausing" | "stopped";

/**
 * idle → starting → ready → ending → starting …; a start that fails goes by way of pausing. Every state leads to
 * stopped. A standby process, if there is one, shortens starting: it takes the place of a new one.
 */
export class ProcessKeeper {
  readonly #options: KeeperOptions;
  readonly #events: KeeperEvents;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #standby: Standby;
  readonly #clock: PausableClock;
  readonly #limits: DueTimer<Limit>;
  #state: State = "idle";
  #current: HandlerStart | undefined;
  #load: LoadOrderHead | undefined;
  readonly #respawn = new Respawn();
  /** The job that would not stop, in a process that is ended for it. */
  #stubbornJobId: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param clock stands still while a debugger holds the process; the keeper pauses and resumes it */
  constructor(options: KeeperOptions, clock: PausableClock, events: KeeperEvents) {
    this.#options = options;
    this.#clock = clock;
    this.#limits = new DueTimer(clock, (limit) => limit.reached());
    this.#events = events;
    this.#standby = new Standby(options, () => this.#newStart());
  }

  /**
   * The process starts at once; what to load into it may be told later.
   *
   * @param spare an idle process that another keeper has given up; default: a new one
   */
  start(spare?: HandlerStart): void {
    if (this.#state !== "idle") return;
    spare?.handTo(this.#limits, this.#startEvents);
    this.#spawn(spare);
  }

  /** Call once. */
  load(head: LoadOrderHead): void {
    this.#load = head;
    this.#current?.load(head);
  }

  /** Whether it can be given jobs. One that has exited is still heard to its last word, but given nothing. */
  get isReady(): boolean {
    return this.#state === "ready" && this.#current?.process.hasExited === false;
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** Of the process that waits to take over. */
  get standbyPid(): number | undefined {
    return this.#standby.pid;
  }

  /** Gives up the standby process, for another keeper to start with, if it is one in which nothing is loaded yet. */
  giveStandby(): HandlerStart | undefined {
    return this.#options.standby === "idle" ? this.#standby.take() : undefined;
  }

  /** Ends the standby process: there will be nothing for it to take over. */
  dropStandby(): void {
    this.#standby.end();
  }

  /** Has a standby process prepared in the place of one that was given up. */
  renewStandby(): void {
    if (this.#state === "ready" && this.#load !== undefined) this.#standby.prepare(this.#load);
  }

  send(kind: number, slot: number, head?: object, payload?: Uint8Array): void {
    this.#current?.process.send(kind, slot, head, payload);
  }

  lastLines(jobId: string): string[] {
    return this.#current?.process.output.lastLines(jobId) ?? [];
  }

  /**
   * The process is spoiled: it is asked to end, then made to. The next one starts when it is gone.
   *
   * @param stubbornJobId the job that would not stop, if that is why; the log then tells what it took
   */
  endSpoiled(stubbornJobId?: string): void {
    if (this.#state !== "ready" && this.#state !== "starting") return;
    this.#state = "ending";
    this.#stubbornJobId = stubbornJobId;
    this.#current?.ladder.terminate();
  }

  /** The process has done its work and leaves in good order. The next one starts when it is gone. */
  retire(): void {
    if (this.#state !== "ready") return;
    this.#state = "ending";
    this.#current?.ladder.leave();
  }

  /**
   * Ends all processes for good; no debugger delays that any more. Idempotent.
   *
   * @param isIdle true: no job is in the current one, so that it may leave in good order
   */
  stop(isIdle = false): Promise<void> {
    if (this.#state === "stopped") return this.#stopped.promise;
    const wasEnding = this.#state === "ending";
    this.#state = "stopped";
    this.#standby.end();
    this.#hold(false);
    clearTimeout(this.#timer);
    if (isIdle) this.#current?.ladder.leave();
    else if (!wasEnding) this.#current?.ladder.terminate();
    this.#checkStopped();
    return this.#stopped.promise;
  }

  /** For the last moment of the supervisor: kills without waiting. */
  killNow(): void {
    void this.stop();
    this.#current?.ladder.kill();
    this.#standby.killNow();
  }

  #hold(isPaused: boolean, at?: number): void {
    if (isPaused === this.#clock.isPaused) return;
    if (isPaused) this.#clock.pause(at);
    else this.#clock.resume(at);
    this.#limits.clockChanged();
    this.#events.clockChanged();
  }

  #isStopped(): boolean {
    return this.#state === "stopped";
  }

  #checkStopped(): void {
    if (!this.#isStopped() || this.#current !== undefined) return;
    if (!this.#standby.isGone) return;
    this.#limits.clear();
    this.#stopped.resolve();
  }

  readonly #startEvents: HandlerStartEvents = {
    ready: (start) => {
      if (start === this.#current) this.#ready(start);
      else this.#events.standbyReady();
    },
    frame: (start, frame) => {
      if (start === this.#current && this.#state === "ready") this.#events.frame(frame);
    },
    line: (line) => this.#events.line(line),
    paused: (start, words) => {
      if (start === this.#current && !this.#isStopped()) this.#hold(words.isPaused, words.at);
    },
    gone: (start, end) => {
      if (start === this.#current) this.#gone(start, end);
      else this.#standbyGone(start, end);
    },
  };

  #newStart(): HandlerStart {
    return new HandlerStart(this.#options, this.#limits, this.#startEvents);
  }

  #spawn(spare?: HandlerStart): void {
    this.#state = "starting";
    const start = spare ?? this.#standby.take() ?? this.#newStart();
    this.#current = start;
    if (start.head !== undefined) return this.#ready(start);
    start.readyWithin(this.#options.initLimitMs);
    if (this.#load !== undefined) start.load(this.#load);
  }

  #ready(start: HandlerStart): void {
    if (this.#state !== "starting" || start.head === undefined) return;
    this.#state = "ready";
    this.#respawn.ready();
    if (this.#load !== undefined) this.#standby.prepare(this.#load);
    this.#events.ready(start.head.concurrency);
  }

  #gone(start: HandlerStart, end: ProcessEnd): void {
    const state = this.#state;
    this.#current = undefined;
    this.#hold(false);
    this.#tellOfStubborn(end);
    // Nobody may take it for ready while its jobs are settled.
    if (state !== "stopped") this.#state = "pausing";
    this.#events.gone(end, (jobId) => start.process.output.lastLines(jobId));
    // Whoever settles the last job of a worker that leaves may have stopped this keeper meanwhile.
    if (this.#isStopped()) return this.#checkStopped();
    if (state === "starting") return this.#startFailed(start.failureOf(end));
    this.#spawn();
  }

  #tellOfStubborn(end: ProcessEnd): void {
    const jobId = this.#stubbornJobId;
    this.#stubbornJobId = undefined;
    if (jobId !== undefined) this.#events.line(stubbornLine(jobId, this.#options.graceMs, end));
  }

  #standbyGone(start: HandlerStart, end: ProcessEnd): void {
    this.#standby.gone(start);
    if (this.#isStopped()) this.#checkStopped();
    else this.#events.standbyFailed(start.failureOf(end));
  }

  #startFailed(failure: Failure): void {
    const waitMs = this.#respawn.afterFailure();
    if (waitMs === undefined) {
      void this.stop();
      return this.#events.unusable(failure);
    }
    this.#state = "pausing";
    this.#timer = setTimeout(() => this.#spawn(), waitMs);
    this.#events.restartFailed(failure, waitMs);
  }
}
