/** Credit and leases of a worker, including leases of jobs that were not sent yet. */

export class WorkerCredit {
  #free = 0;
  readonly #held = new Set<string>();
  /** Leases of jobs that were not sent yet. */
  readonly #unsent = new Set<string>();
  /** Leases among them with a withdrawn credit. */
  readonly #withdrawn = new Set<string>();

  get free(): number {
    return this.#free;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** Number of jobs that were handed over and not sent yet. */
  get unsentCount(): number {
    return this.#unsent.size;
  }

  grant(count: number): void {
    this.#free += count;
  }

  /** Voids all credit. Unsent jobs are sent all the same, but do not return their credit. */
  withdraw(): void {
    this.#free = 0;
    for (const leaseToken of this.#unsent) this.#withdrawn.add(leaseToken);
  }

  /** Voids all credit, and unsent jobs are not sent any more. */
  reset(): void {
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

  /** False if the job was already sent; otherwise it will not be sent, and its credit is free again. */
  stopSending(leaseToken: string): boolean {
    if (!this.#unsent.delete(leaseToken)) return false;
    if (!this.#withdrawn.delete(leaseToken)) this.#free += 1;
    return true;
  }

  /** True when the job is to be sent now; false if `stopSending` was called. */
  startSending(leaseToken: string): boolean {
    this.#withdrawn.delete(leaseToken);
    return this.#unsent.delete(leaseToken);
  }

  /** Adds a lease of an earlier session. */
  hold(leaseToken: string): void {
    this.#held.add(leaseToken);
  }

  /** True if that was the worker's last lease. */
  release(leaseToken: string): boolean {
    return this.#held.delete(leaseToken) && this.#held.size === 0;
  }
}
