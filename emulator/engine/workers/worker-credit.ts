/** What a worker may be handed and what it holds: its credit, its leases, and which of their jobs are still on the way. */

export class WorkerCredit {
  #free = 0;
  readonly #held = new Set<string>();
  /** Leases handed over whose job is not sent yet. */
  readonly #unsent = new Set<string>();
  /** Those of them whose credit is void by now. */
  readonly #withdrawn = new Set<string>();

  /** Jobs the worker may still be handed. */
  get free(): number {
    return this.#free;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** Jobs handed over that are not sent yet. */
  get unsentCount(): number {
    return this.#unsent.size;
  }

  grant(count: number): void {
    this.#free += count;
  }

  /** Nothing is left of what was granted. What is on the way comes all the same, but its credit never comes back. */
  withdraw(): void {
    this.#free = 0;
    for (const leaseToken of this.#unsent) this.#withdrawn.add(leaseToken);
  }

  /** What was granted is void, and what was not sent is not sent any more. */
  startAnew(): void {
    this.#free = 0;
    this.#unsent.clear();
    this.#withdrawn.clear();
  }

  /** Uses one credit for a hand-over under `leaseToken`; `giveBack` undoes it. */
  reserve(leaseToken: string): void {
    this.#free -= 1;
    this.#held.add(leaseToken);
    this.#unsent.add(leaseToken);
  }

  giveBack(leaseToken: string): void {
    this.#held.delete(leaseToken);
    this.stopSending(leaseToken);
  }

  /** False when its job was sent already; else it will not be, and its credit is free again. */
  stopSending(leaseToken: string): boolean {
    if (!this.#unsent.delete(leaseToken)) return false;
    if (!this.#withdrawn.delete(leaseToken)) this.#free += 1;
    return true;
  }

  /** True when its job is to be sent now; false if that was stopped. */
  mayBeSent(leaseToken: string): boolean {
    this.#withdrawn.delete(leaseToken);
    return this.#unsent.delete(leaseToken);
  }

  /** Holds a lease that was given before. */
  hold(leaseToken: string): void {
    this.#held.add(leaseToken);
  }

  /** True when that was the last one it held. */
  release(leaseToken: string): boolean {
    return this.#held.delete(leaseToken) && this.#held.size === 0;
  }
}
