/** The steps that wait for room in the gathering batch. */
import { ServiceError } from "../../core/service-error.ts";
import type { Clock } from "../../core/time/clock.ts";

/** Timeout of a step with a waiting caller, real time: the total of its waits for room. */
const ROOM_WAIT_MS = 10_000;

export class BatchRoom {
  readonly #clock: Clock;
  readonly waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The deadline of a step that begins to wait now: in 10 s, or never. */
  deadline(hasTime: boolean): number {
    return hasTime ? Number.POSITIVE_INFINITY : this.#clock.now() + ROOM_WAIT_MS;
  }

  /** Resolves when there is room, in the order of the calls. @throws ServiceError storage_busy at `deadline` */
  async wait(deadline: number): Promise<void> {
    if (this.#clock.now() >= deadline) throw tooBusy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      this.waiting.delete(enter);
      disarm?.();
      resolve();
    };
    const refuse = () => {
      this.waiting.delete(enter);
      reject(tooBusy());
    };
    const disarm = Number.isFinite(deadline) ? this.#clock.wakeAt(deadline, refuse) : undefined;
    this.waiting.add(enter);
    await promise;
  }

  open(): void {
    for (const enter of [...this.waiting]) enter();
  }
}

function tooBusy(): ServiceError {
  return new ServiceError(
    "storage_busy",
    "the disk is too slow for the writes; nothing of this request was stored",
    { retryAfterMs: ROOM_WAIT_MS },
  );
}
