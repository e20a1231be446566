/** A clock that only a test moves. Due timers fire in order, and the work they cause can be waited for. */
import type { Clock, Disarm } from "../emulator/core/time/clock.ts";

interface Wake {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Turns of the event loop after which work in memory has settled: far more than any chain of commits here takes. */
const TURNS = 50;
/** Time limit of a wait for the disk. */
const BUSY_MS = 5_000;

export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  #wakes: Wake[] = [];
  /** Whether work is running that needs a disk, not only turns of the event loop. */
  isBusy: () => boolean = () => false;

  /** Starts at a round time in 2026 by default (ms since the epoch). */
  constructor(startAt = Date.UTC(2026, 0, 1)) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  wakeAt(at: number, wake: () => void): Disarm {
    const entry: Wake = { at, order: this.#order++, wake };
    this.#wakes.push(entry);
    return () => {
      this.#wakes = this.#wakes.filter((other) => other !== entry);
    };
  }

  /** Number of armed timers. */
  get armed(): number {
    return this.#wakes.length;
  }

  /** Advances by `ms`, with a stop at each due time: the timer fires and its work settles there. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await this.settle();
    for (let due = this.#next(target); due; due = this.#next(target)) {
      this.#now = Math.max(this.#now, due.at);
      this.#wakes = this.#wakes.filter((other) => other !== due);
      due.wake();
      await this.settle();
    }
    this.#now = target;
    await this.settle();
  }

  /** Advances by `ms` without firing, like a frozen process; all due timers fire afterwards, late. */
  async standStill(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  /** Waits until work that needs no time has settled. */
  async settle(): Promise<void> {
    const since = performance.now();
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (this.isBusy() && performance.now() - since < BUSY_MS) turn = 0;
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  #next(until: number): Wake | undefined {
    let next: Wake | undefined;
    for (const wake of this.#wakes) {
      if (wake.at > until) continue;
      if (!next || wake.at < next.at || (wake.at === next.at && wake.order < next.order))
        next = wake;
    }
    return next;
  }
}
