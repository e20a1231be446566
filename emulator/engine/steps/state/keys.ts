/** Gives the keys of jobs, of places in queues and of deliveries: ascending, and none twice, not even after a restart. */
import type { OwnedPartitions } from "./owned-partitions.ts";

export class Keys {
  readonly #ownership: OwnedPartitions;
  #last: number;

  /** @param last no key above this one was given before */
  constructor(ownership: OwnedPartitions, last: number) {
    this.#ownership = ownership;
    this.#last = last;
  }

  /** No key above this one was given here. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last = this.#ownership.keyAfter(this.#last);
    return this.#last;
  }

  /** Keys from now on are above this one. */
  goOnAfter(key: number): void {
    this.#last = Math.max(this.#last, key);
  }
}
