/** The credit of a worker and the leases it holds, with those whose jobs were not sent yet. */

export class WorkerCredit {
  #free = 0;
  readonly #held = new Set<string>();
  /** Leases whose job was not sent yet. */
  readonly #unsent = new Set<string>();
  /** Those of them whose credit was withdrawn. */
  readonly #withdrawn = new Set<string>();

  /** How many more jobs the worker may be handed. */
  get free(): number {
    return this.#free;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** How many jobs were handed over and not sent yet. */
  get unsentCount(): number {
    return this.#unsent.size;
  }

  grant(count: number): void {
    this.#free += count;
  }

  /** All credit is void. Jobs that were not sent yet are sent all the same, but never give their credit back. */
  withdraw(): void {
    this.#free = 0;
    for (const leaseToken of this.#unsent) this.#withdrawn.add(leaseToken);
  }

  /** All credit is void, and jobs that were not sent yet are not sent any more. */
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

  /** False when the job was sent already; otherwise it is not sent, and its credit is free again. */
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

  /** Holds a lease of an earlier session. */
  hold(leaseToken: string): void {
    this.#held.add(leaseToken);
  }

  /** True when that was the last lease it held. */
  release(leaseToken: string): boolean {
    return this.#held.delete(leaseToken) && this.#held.size === 0;
  }
}
