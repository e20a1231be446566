/** The writes of a start, in order. While the disk is full they are retried until there is room. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import { StoreFullError } from "../../core/store-error.ts";
import type { EngineLog } from "../observe/engine-log.ts";

const TRY_EVERY_MS = 1_000;

type Work = () => Promise<void>;

export class StartWork {
  readonly #clock: Clock;
  readonly #log: EngineLog;
  /** True once a write has found no room. */
  readonly #left: Work[] = [];
  #disarm: Disarm | undefined;
  #trying: Promise<void> | undefined;
  #loggedReason: string | undefined;
  #isStopped = false;

  /** `clock` is real time. */
  constructor(clock: Clock, log: EngineLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** True while a write of the start waits for room. */
  get isWaiting(): boolean {
    return this.#left.length > 0;
  }

  /**
   * Does the work now. If the disk is full, or earlier work waits for room, it is done later and retried until it succeeds, so
   * it must be repeatable.
   * @throws errors of the work, unless the disk is full
   */
  async do(work: Work): Promise<void> {
    if (this.isWaiting) {
      this.#left.push(work);
      return;
    }
    try {
      await work();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#left.push(work);
      const meaning =
        "until there is room, stored data can be read, but nothing is stored and no worker starts; then the start goes on";
      this.#log.error({}, `${error.message}; ${meaning}`);
      this.#tryLater();
    }
  }

  /** Stops; resolves when no work is in progress. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disarm?.();
    await this.#trying;
  }

  #tryLater(): void {
    if (this.#isStopped) return;
    this.#disarm = this.#clock.wakeAt(this.#clock.now() + TRY_EVERY_MS, () => {
      this.#trying = this.#goOn();
    });
  }

  async #goOn(): Promise<void> {
    try {
      for (let [work] = this.#left; work && !this.#isStopped; [work] = this.#left) {
        await work();
        this.#left.shift();
      }
      if (!this.#isStopped) this.#log.info({}, "there is room again: the start went on");
    } catch (error) {
      if (!isFull(error)) this.#logOnce(error);
      this.#tryLater();
    }
  }

  /** Logs a reason once while it stays the same. */
  #logOnce(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === this.#loggedReason) return;
    this.#loggedReason = reason;
    this.#log.error({ err: error }, `the start cannot go on; this is tried again: ${reason}`);
  }
}

function isFull(error: unknown): error is Error {
  return (
    error instanceof StoreFullError ||
    (error instanceof ServiceError && error.code === "storage_full")
  );
}
