/** A second handler process that can take over, so that no job waits for the start of a process. */
import type { LoadOrderHead } from "../pipe/frame-kinds.ts";
import type { HandlerInstance } from "./handler-instance.ts";

/**
 * Kinds of standby process: none; idle, without the handler; or loaded, with the handler loaded and set up. With a loaded one
 * the handler is in memory twice, also in the memory of a GPU.
 */
export const STANDBY_MODES = ["none", "idle", "loaded"] as const;
export type StandbyMode = (typeof STANDBY_MODES)[number];

export interface StandbyOptions {
  readonly standby: StandbyMode;
  /** Delay before the start of a standby process, ms. */
  readonly standbyDelayMs: number;
  /** Returns the memory that is free for this process, bytes; default: what Node says, which knows the limit of a container. */
  readonly availableBytes?: (() => number) | undefined;
  /** Timeout for loading and setup together, ms. */
  readonly initLimitMs: number;
}

/** Minimum free memory for the start of a standby process, bytes. */
const ROOM_BYTES = 512_000_000;

/** Has at most one process. After that is taken or ends, the next `prepare` replaces it. */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #spawn: () => HandlerInstance;
  #waiting: HandlerInstance | undefined;
  /** Processes that were told to leave and are not gone yet. */
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

  /** The process starts after a delay, so that the present job is not slowed down, unless memory is short then. */
  prepare(load: LoadOrderHead): void {
    if (this.#options.standby === "none" || this.#waiting !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(load), this.#options.standbyDelayMs);
  }

  /** Returns the standby process, if there is one, and gives it up. It is loaded, loading or idle. */
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

  /** Ends the standby process, which is not needed any more. It may run `dispose`. */
  end(): void {
    const waiting = this.take();
    if (waiting === undefined) return;
    this.#ending.add(waiting);
    waiting.ladder.leave();
  }

  /** Kills at once, as the last action of the supervisor. */
  killNow(): void {
    this.end();
    for (const instance of this.#ending) instance.ladder.kill();
  }

  #start(load: LoadOrderHead): void {
    const { availableBytes = () => process.availableMemory() } = this.#options;
    if (availableBytes() < ROOM_BYTES) return;
    const instance = this.#spawn();
    this.#waiting = instance;
    if (this.#options.standby !== "loaded") return;
    instance.readyWithin(this.#options.initLimitMs);
    instance.load(load);
  }
}
