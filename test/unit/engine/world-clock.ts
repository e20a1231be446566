/** A clock that advances at once: due events happen in order, without a turn of the event loop. */
import type { Clock } from "../../../emulator/core/time/clock.ts";

export class WorldClock implements Clock {
  #now = 0;
  readonly #wakes = new Set<{ readonly at: number; readonly wake: () => void }>();

  now(): number {
    return this.#now;
  }

  wakeAt(at: number, wake: () => void) {
    const entry = { at, wake };
    this.#wakes.add(entry);
    return () => void this.#wakes.delete(entry);
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#wakes].filter(({ at }) => at <= until);
      const [next] = due.toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#wakes.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = until;
  }
}
