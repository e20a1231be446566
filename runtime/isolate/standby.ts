/** A second handler process that waits to take over, so that a job need not wait for one to start. */
import type { LoadOrderHead } from "../pipe/frame-kinds.ts";
import type { HandlerInstance } from "./handler-instance.ts";

/**
 * Standby process beside the handler process: none; an idle one in which nothing of the handler is loaded; or one with the
 * handler loaded and set up, which then exists twice, also in the memory of a GPU.
 */
export const STANDBY_MODES = ["none", "idle", "loaded"] as const;
export type StandbyMode = (typeof STANDBY_MODES)[number];

export interface StandbyOptions {
  readonly standby: StandbyMode;
  /** Time after which the standby process is started beside a ready handler, ms. */
  readonly standbyDelayMs: number;
  /** How long loading and setup may take together, ms. */
  readonly initLimitMs: number;
}

/** At most one process at a time; after it is taken or ends, the next `prepare` replaces it. */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #spawn: () => HandlerInstance;
  #waiting: HandlerInstance | undefined;
  /** Told to leave, and not gone yet. */
  readonly #ending = new Set<HandlerInstance>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StandbyOptions, spawn: () => HandlerInstance) {
    this.#options = options;
    this.#spawn = spawn;
  }

  get pid(): number | undefined {
    return this.#waiting?.process.pid;
  }

  get isGone(): boolean {
    return this.#waiting === undefined && this.#ending.size === 0;
  }

  /** The handler is ready: after a pause for its first job, the next process starts. */
  prepare(load: LoadOrderHead): void {
    if (this.#options.standby === "none" || this.#waiting !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(load), this.#options.standbyDelayMs);
  }

  /** Hands out the process that waits, if there is one: loaded, about to be, or idle. */
  take(): HandlerInstance | undefined {
    clearTimeout(this.#timer);
    const taken = this.#waiting;
    this.#waiting = undefined;
    if (taken?.process.hasExited !== true) return taken;
    this.#ending.add(taken);
    return undefined;
  }

  gone(instance: HandlerInstance): void {
    if (instance === this.#waiting) this.#waiting = undefined;
    this.#ending.delete(instance);
  }

  /** It is not needed any more. What it has set up it may dispose of. */
  end(): void {
    const waiting = this.take();
    if (waiting === undefined) return;
    this.#ending.add(waiting);
    waiting.ladder.leave();
  }

  /** For the last moment of the supervisor. */
  killNow(): void {
    this.end();
    for (const instance of this.#ending) instance.ladder.kill();
  }

  #start(load: LoadOrderHead): void {
    const instance = this.#spawn();
    this.#waiting = instance;
    if (this.#options.standby !== "loaded") return;
    instance.readyWithin(this.#options.initLimitMs);
    instance.load(load);
  }
}
