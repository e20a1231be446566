/** Those who wait for room in the gathering batch. */
import { ServiceError } from "../core/service-error.ts";
import type { Clock } from "../core/time/clock.ts";

/** A step that somebody waits for waits for so long for room in it, real time. */
const ROOM_WAIT_MS = 10_000;

export class Doors {
  /** Real time. */
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when the doors open, in the order of the calls.
   *
   * @param hasTime waits for as long as it takes
   *
   * @throws ServiceError storage_busy after 10 s, unless it has time
   */
  wait(hasTime: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      this.#waiting.delete(enter);
      disarm?.();
      resolve();
    };
    const refuse = () => {
      this.#waiting.delete(enter);
      reject(tooBusy());
    };
    const disarm = hasTime
      ? undefined
      : this.#clock.wakeAt(this.#clock.now() + ROOM_WAIT_MS, refuse);
    this.#waiting.add(enter);
    return promise;
  }

  open(): void {
    for (const enter of [...this.#waiting]) enter();
  }
}

function tooBusy(): ServiceError {
  return new ServiceError(
    "storage_busy",
    "the disk does not keep up with what is to be stored; nothing of this was stored",
    { retryAfterMs: ROOM_WAIT_MS },
  );
}
