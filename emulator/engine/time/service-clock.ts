/** Service time: real time plus the offset by which the clock was advanced; timers follow an advance. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import type { DueMoment, DueNote } from "../../core/time/due.ts";
import { Turns } from "../../core/turns.ts";

interface Wake {
  readonly at: number;
  readonly wake: () => void;
  readonly note: DueNote | undefined;
  readonly stillAt: (() => number) | undefined;
  disarm: Disarm;
}

export class ServiceClock implements Clock {
  readonly #real: Clock;
  #offsetMs: number;
  /** Time that may not have passed, with the moment of its detection. */
  #gap = { ms: 0, at: 0 };
  #isHeld = false;
  /** In the order of arming. */
  readonly #wakes = new Set<Wake>();
  /** Changes of the clock run one after another: two advances must not mix. */
  readonly moves = new Turns();

  constructor(real: Clock, offsetMs: number) {
    this.#real = real;
    this.#offsetMs = offsetMs;
  }

  now(): number {
    return this.#real.now() + this.#offsetMs;
  }

  /** Lead of service time over real time, ms. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Time by which deletions of older things are delayed, ms. */
  get heldBackMs(): number {
    return this.#gap.ms;
  }

  /** Service time goes on, but deletions of anything older than this call are delayed by `gapMs`, until `letGo`. */
  holdBack(gapMs: number): void {
    this.#gap = { ms: gapMs, at: this.now() };
  }

  /** Keeps the delay for good. */
  hold(): void {
    this.#isHeld = this.#gap.ms > 0;
  }

  /** Returns false, and does nothing, after `hold`. */
  letGo(): boolean {
    if (!this.#isHeld) this.#gap = { ms: 0, at: 0 };
    return !this.#isHeld;
  }

  /** Service time for the deletion of data that began at `since`; default: of any data. */
  deletesUpTo(since = 0): number {
    return this.now() - (since < this.#gap.at ? this.#gap.ms : 0);
  }

  /** Due moment of the earliest timer. Undefined without timers. */
  get nextWakeAt(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const wake of this.#wakes) if (wake.at < next) next = Math.min(next, dueOf(wake));
    return Number.isFinite(next) ? next : undefined;
  }

  /** Due moments of the timers with a note, except timers that are no longer due. */
  get noted(): readonly DueMoment[] {
    return [...this.#wakes].flatMap((wake) => {
      const at = dueOf(wake);
      return wake.note === undefined || !Number.isFinite(at) ? [] : { at, due: wake.note };
    });
  }

  /**
   * @param note for lists of what is due
   * @param stillAt the present due moment, if it is later than `at`; infinity: none. The timer fires at `at` all the same.
   */
  wakeAt(at: number, wake: () => void, note?: DueNote, stillAt?: () => number): Disarm {
    const entry: Wake = { at, wake, note, stillAt, disarm: () => undefined };
    this.#wakes.add(entry);
    this.#aim(entry);
    return () => {
      this.#wakes.delete(entry);
      entry.disarm();
    };
  }

  /** Changes the offset; due timers fire when `catchUp` is called. */
  shift(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Fires due timers, in order, and rearms the others. */
  catchUp(): void {
    const now = this.now();
    for (const entry of [...this.#wakes].toSorted((a, b) => a.at - b.at)) {
      // An earlier timer may have cancelled it.
      if (!this.#wakes.has(entry)) continue;
      entry.disarm();
      if (entry.at <= now) this.#fire(entry);
      else this.#aim(entry);
    }
  }

  #aim(entry: Wake): void {
    entry.disarm = this.#real.wakeAt(entry.at - this.#offsetMs, () => {
      // An undone shift may have armed it too early.
      if (this.now() < entry.at) this.#aim(entry);
      else this.#fire(entry);
    });
  }

  #fire(entry: Wake): void {
    this.#wakes.delete(entry);
    entry.wake();
  }
}

function dueOf({ at, stillAt }: Wake): number {
  return stillAt === undefined ? at : Math.max(at, stillAt());
}
