/** Keeps a handler process ready: starts it, loads the handler, ends it after an uncaught error, and starts the next one. */
import type { PausableClock } from "../core/pausable-clock.ts";
import { type LoadOrderHead, ORDER } from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import { stubbornLine } from "./ending/failure-report.ts";
import { DueTimer } from "./ending/due-timer.ts";
import { type Limit, Respawn } from "./ending/ladder.ts";
import type { ProcessEnd } from "./ending/attribute-exit.ts";
import {
  HandlerInstance,
  type HandlerInstanceEvents,
  type HandlerInstanceOptions,
} from "./handler-instance.ts";
import type { IsolateEvents } from "./job-isolate.ts";
import { Standby, type StandbyOptions } from "./standby.ts";

export type KeeperOptions = HandlerInstanceOptions & StandbyOptions;

export interface KeeperEvents extends Pick<
  IsolateEvents,
  "ready" | "line" | "restartFailed" | "standbyReady" | "standbyFailed" | "unusable"
> {
  /** Called with each frame about jobs. */
  frame(frame: Frame): void;
  /** Called when a debugger paused or resumed the process, and so the clock. */
  clockChanged(): void;
  /** Called when a ready process is gone. The next one is being started. */
  gone(end: ProcessEnd, lastLines: (jobId: string) => string[]): void;
}

type State = "idle" | "starting" | "ready" | "ending" | "pausing" | "stopped";

/**
 * States: idle → starting → ready → ending → starting …. After a failed start: starting → pausing → starting. Every state can
 * lead to stopped. A standby process, if there is one, is used instead of a new process.
 */
export class ProcessKeeper {
  readonly #options: KeeperOptions;
  readonly #events: KeeperEvents;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #standby: Standby;
  readonly #clock: PausableClock;
  readonly #limits: DueTimer<Limit>;
  #state: State = "idle";
  #current: HandlerInstance | undefined;
  #load: LoadOrderHead | undefined;
  readonly #respawn = new Respawn();
  /** Whether a job has been given to a process of this keeper. */
  #isUsed = false;
  /** The job that did not stop, because of which its process is being ended. */
  #stubbornJobId: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param clock the keeper pauses it while a debugger pauses the process */
  constructor(options: KeeperOptions, clock: PausableClock, events: KeeperEvents) {
    this.#options = options;
    this.#clock = clock;
    this.#limits = new DueTimer(clock, (limit) => limit.reached());
    this.#events = events;
    this.#standby = new Standby(options, () => this.#newInstance());
  }

  /**
   * Starts the process at once. The module is named later, by `load`. @param spare an idle process from another keeper;
   * default: a new one
   */
  start(spare?: HandlerInstance): void {
    if (this.#state !== "idle") return;
    spare?.handTo(this.#limits, this.#instanceEvents);
    this.#spawn(spare);
  }

  /** Call once. */
  load(head: LoadOrderHead): void {
    this.#load = head;
    this.#current?.load(head);
  }

  /** Whether the process can get jobs. A process that has exited gets no jobs, although its output is still read. */
  get isReady(): boolean {
    return this.#state === "ready" && this.#current?.process.hasExited === false;
  }

  /** Process id of the current process. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** Process id of the standby process. */
  get standbyPid(): number | undefined {
    return this.#standby.pid;
  }

  /** Gives up the standby process for another keeper, if nothing is loaded in it. */
  giveStandby(): HandlerInstance | undefined {
    return this.#options.standby === "idle" ? this.#standby.take() : undefined;
  }

  /** Ends the standby process, which will not be needed. */
  dropStandby(): void {
    this.#standby.end();
  }

  /** Prepares a standby process, unless it would have nothing loaded and no job has come yet. */
  renewStandby(): void {
    if (this.#state !== "ready" || this.#load === undefined) return;
    if (this.#isUsed || this.#options.standby === "loaded") this.#standby.prepare(this.#load);
  }

  send(kind: number, slot: number, head?: object, payload?: Uint8Array): void {
    this.#current?.process.send(kind, slot, head, payload);
    if (kind !== ORDER.run || this.#isUsed) return;
    this.#isUsed = true;
    this.renewStandby();
  }

  lastLines(jobId: string): string[] {
    return this.#current?.process.output.lastLines(jobId) ?? [];
  }

  /**
   * Ends a process that must take no more jobs: it is asked to end, and then killed. The next one starts when it is gone.
   * @param stubbornJobId the job that did not stop, if that is the reason; the log then tells how its process was ended
   */
  endSpoiled(stubbornJobId?: string): void {
    if (this.#state !== "ready" && this.#state !== "starting") return;
    this.#state = "ending";
    this.#stubbornJobId = stubbornJobId;
    this.#current?.ladder.terminate();
  }

  /** Lets an idle process end in an orderly way. The next one starts when it is gone. */
  retire(): void {
    if (this.#state !== "ready") return;
    this.#state = "ending";
    this.#current?.ladder.leave();
  }

  /**
   * Ends all processes for good, even if a debugger pauses them. Idempotent.
   *
   * @param isIdle true if the current process has no job, so that it may end in an orderly way
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

  /** Kills at once, as the last action of the supervisor. */
  killNow(): void {
    void this.stop();
    this.#current?.ladder.kill();
    this.#standby.killNow();
  }

  #hold(isPaused: boolean, at?: number): void {
    if (isPaused === this.#clock.isPaused) return;
    if (isPaused) this.#clock.pause(at);
    else this.#clock.resume(at);
    this.clockChanged();
  }

  /** Call it whenever the clock was paused, resumed or set back. */
  clockChanged(): void {
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

  readonly #instanceEvents: HandlerInstanceEvents = {
    ready: (instance) => {
      if (instance === this.#current) this.#ready(instance);
      else this.#events.standbyReady();
    },
    frame: (instance, frame) => {
      if (instance === this.#current && this.#state === "ready") this.#events.frame(frame);
    },
    line: (line) => this.#events.line(line),
    paused: (instance, notice) => {
      if (instance === this.#current && !this.#isStopped()) this.#hold(notice.isPaused, notice.at);
    },
    gone: (instance, end) => {
      if (instance === this.#current) this.#gone(instance, end);
      else this.#standbyGone(instance, end);
    },
  };

  #newInstance(): HandlerInstance {
    return new HandlerInstance(this.#options, this.#limits, this.#instanceEvents);
  }

  #spawn(spare?: HandlerInstance): void {
    this.#state = "starting";
    const instance = spare ?? this.#standby.take() ?? this.#newInstance();
    this.#current = instance;
    if (instance.head !== undefined) return this.#ready(instance);
    instance.readyWithin(this.#options.initLimitMs);
    if (this.#load !== undefined) instance.load(this.#load);
  }

  #ready(instance: HandlerInstance): void {
    if (this.#state !== "starting" || instance.head === undefined) return;
    this.#state = "ready";
    this.#respawn.ready();
    this.renewStandby();
    this.#events.ready(instance.head.concurrency);
  }

  #gone(instance: HandlerInstance, end: ProcessEnd): void {
    const state = this.#state;
    this.#current = undefined;
    this.#hold(false);
    this.#tellOfStubborn(end);
    // The process must not count as ready while its jobs are settled.
    if (state !== "stopped") this.#state = "pausing";
    this.#events.gone(end, (jobId) => instance.process.output.lastLines(jobId));
    // Settling the last job of a draining worker may have stopped this keeper.
    if (this.#isStopped()) return this.#checkStopped();
    if (state === "starting") return this.#startFailed(instance.failureOf(end));
    this.#spawn();
  }

  #tellOfStubborn(end: ProcessEnd): void {
    const jobId = this.#stubbornJobId;
    this.#stubbornJobId = undefined;
    if (jobId !== undefined) this.#events.line(stubbornLine(jobId, this.#options.graceMs, end));
  }

  #standbyGone(instance: HandlerInstance, end: ProcessEnd): void {
    this.#standby.gone(instance);
    if (this.#isStopped()) this.#checkStopped();
    else this.#events.standbyFailed(instance.failureOf(end));
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
