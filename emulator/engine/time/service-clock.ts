/** Service time: real time plus what the clock was advanced by; timers follow an advance. */
import type { Clock, Disarm } from "../../core/time/clock.ts";

interface Wake {
  readonly at: number;
  readonly wake: () => void;
  disarm: Disarm;
}

export class ServiceClock implements Clock {
  readonly #real: Clock;
  #offsetMs: number;
  /** In the order they were armed. */
  readonly #wakes = new Set<Wake>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(real: Clock, offsetMs: number) {
    this.#real = real;
    this.#offsetMs = offsetMs;
  }

  now(): number {
    return this.#real.now() + this.#offsetMs;
  }

  /** How far service time is ahead of real time, ms. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The earliest moment something is armed for; undefined if nothing is. */
  get nextWakeAt(): number | undefined {
    let next: number | undefined;
    for (const { at } of this.#wakes) if (next === undefined || at < next) next = at;
    return next;
  }

  wakeAt(at: number, wake: () => void): Disarm {
    const entry: Wake = { at, wake, disarm: () => undefined };
    this.#wakes.add(entry);
    this.#aim(entry);
    return () => {
      this.#wakes.delete(entry);
      entry.disarm();
    };
  }

  /** Moves time itself; what came due by it fires when `catchUp` is called. */
  shift(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Fires what is due, in order, and aims the rest at when it is due now. */
  catchUp(): void {
    const now = this.now();
    for (const entry of [...this.#wakes].toSorted((a, b) => a.at - b.at)) {
      // One that fired before it may have disarmed it.
      if (!this.#wakes.has(entry)) continue;
      entry.disarm();
      if (entry.at <= now) this.#fire(entry);
      else this.#aim(entry);
    }
  }

  /** Runs `move` when all moves asked for before are over: two that advance the clock must not mix. */
  inTurn<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#turn.then(move);
    this.#turn = moved.catch(() => undefined);
    return moved;
  }

  #aim(entry: Wake): void {
    entry.disarm = this.#real.wakeAt(entry.at - this.#offsetMs, () => {
      // A shift that was taken back may have aimed it too early.
      if (this.now() < entry.at) this.#aim(entry);
      else this.#fire(entry);
    });
  }

  #fire(entry: Wake): void {
    this.#wakes.delete(entry);
    entry.wake();
  }
}
