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
  /** Time that may not have passed, and when it was found. */
  #gap = { ms: 0, at: 0 };
  #isHeld = false;
  /** In the order they were armed. */
  readonly #wakes = new Set<Wake>();
  /** Moves of the clock, one after another: two advances must not mix. */
  readonly moves = new Turns();

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

  /** By how much deletions of what was there before are held back, ms. */
  get heldBackMs(): number {
    return this.#gap.ms;
  }

  /** Service time goes on, but what is older than this call is not deleted for `gapMs` of it, until `letGo`. */
  holdBack(gapMs: number): void {
    this.#gap = { ms: gapMs, at: this.now() };
  }

  /** Holds back for good what the gap of the clock would delete. */
  hold(): void {
    this.#isHeld = this.#gap.ms > 0;
  }

  /** Answers false, and does nothing, after `hold`. */
  letGo(): boolean {
    if (!this.#isHeld) this.#gap = { ms: 0, at: 0 };
    return !this.#isHeld;
  }

  /** The time that counts for the deletion of what began at `since`; without it, of anything. */
  deletesUpTo(since = 0): number {
    return this.now() - (since < this.#gap.at ? this.#gap.ms : 0);
  }

  /** When the earliest timer is due; undefined if none is. */
  get nextWakeAt(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const wake of this.#wakes) if (wake.at < next) next = Math.min(next, dueOf(wake));
    return Number.isFinite(next) ? next : undefined;
  }

  /** The moments of timers that were set with a note, but for those that are not due any more. */
  get noted(): readonly DueMoment[] {
    return [...this.#wakes].flatMap((wake) => {
      const at = dueOf(wake);
      return wake.note === undefined || !Number.isFinite(at) ? [] : { at, due: wake.note };
    });
  }

  /**
   * @param note for those who ask what is due
   * @param stillAt the moment that is due by now, if it is later than `at`; infinity: none is. The timer fires at `at` all the same.
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

  /** Changes the offset; timers that are due by it fire when `catchUp` is called. */
  shift(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Fires the timers that are due, in order, and sets the others anew. */
  catchUp(): void {
    const now = this.now();
    for (const entry of [...this.#wakes].toSorted((a, b) => a.at - b.at)) {
      // A timer that fired before may have cancelled it.
      if (!this.#wakes.has(entry)) continue;
      entry.disarm();
      if (entry.at <= now) this.#fire(entry);
      else this.#aim(entry);
    }
  }

  #aim(entry: Wake): void {
    entry.disarm = this.#real.wakeAt(entry.at - this.#offsetMs, () => {
      // A shift that was undone may have set it too early.
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
