/** Time that stands still until a test moves it. Due timers fire in order, and the work they cause can be waited for. */
import type { Clock, Disarm } from "../emulator/core/time/clock.ts";

interface Wake {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Turns of the event loop after which work in memory is at rest: far more than any chain of commits here takes. */
const TURNS = 50;
/** Time limit of a wait for the disk. */
const BUSY_MS = 5_000;

export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  #wakes: Wake[] = [];
  /** Whether something is under way that needs more than turns of the event loop, on a disk. */
  isBusy: () => boolean = () => false;

  /** Starts at a round moment in 2026 unless told otherwise (ms since the epoch). */
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

  /** How many wakes are armed. */
  get armed(): number {
    return this.#wakes.length;
  }

  /** Moves time on by `ms`, stopping at each moment something is due: that and all it sets off happens then. */
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

  /** Moves time on by `ms` without firing, as for a stopped process; all due timers fire afterwards, late. */
  async standStill(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  /** Waits until work that needs no time to pass has come to rest. */
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
