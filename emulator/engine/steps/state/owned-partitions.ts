/** The endpoints for which this process decides: all of them, unless several processes share the store. */
import type { ChangedRecords, Owner, Ownership } from "../../../store/ownership.ts";
import { endpointMoved } from "./endpoint-moved.ts";

export class OwnedPartitions {
  readonly #ownership: Ownership | undefined;
  /** The partitions in memory, each with the number of its load. */
  readonly #held = new Map<number, number>();
  /** The held partitions that are about to be released. */
  readonly #leaving = new Set<number>();
  /** The partitions about to be released that take no more requests. */
  readonly #heldBack = new Set<number>();

  /** The highest key that was assigned here. */
  lastKey: number;

  /** @param lastKey the highest key that was assigned before */
  constructor(ownership?: Ownership, lastKey = 0) {
    this.#ownership = ownership;
    this.lastKey = lastKey;
  }

  get isShared(): boolean {
    return this.#ownership !== undefined;
  }

  /** Whether memory has each partition; empty unless several processes share the store. */
  get partitions(): readonly boolean[] {
    const length = this.#ownership?.partitionCount ?? 0;
    return Array.from({ length }, (_, partition) => this.#held.has(partition));
  }

  /** Whether memory has the endpoint's jobs, so that steps may change them. Memory may be outdated; the batch then fails. */
  holds(endpointId: string): boolean {
    return this.#ownership === undefined || this.#held.has(this.#ownership.partitionOf(endpointId));
  }

  holdsService(): boolean {
    return this.#ownership === undefined || this.#held.has(this.#ownership.servicePartition);
  }

  /** Whether workers get no more jobs of the endpoint, because its partition is about to be released. */
  isLeaving(endpointId: string): boolean {
    return this.#leaving.size > 0 && this.isOf(this.#leaving)(endpointId);
  }

  /** Whether workers get no more requests of the endpoint either, and no webhook call begins. */
  isHeldBack(endpointId: string): boolean {
    return this.#heldBack.size > 0 && this.isOf(this.#heldBack)(endpointId);
  }

  /** Whether memory is complete for the endpoint, so that requests can be answered from it. */
  owns(endpointId: string): boolean {
    if (this.#ownership === undefined) return true;
    return this.holds(endpointId) && this.#ownership.owns(endpointId);
  }

  /** Call it last before every answer from memory. @throws ServiceError endpoint_moved */
  refuseMoved(endpointId: string): void {
    if (!this.owns(endpointId)) throw endpointMoved({ endpointId });
  }

  /** The next key of a job, a place in a queue or a delivery. Keys ascend, and are unique across restarts. */
  nextKey(): number {
    this.lastKey = this.#ownership?.keyAfter(this.lastKey) ?? this.lastKey + 1;
    return this.lastKey;
  }

  follow(learn: (changed: ChangedRecords) => void): void {
    this.#ownership?.follow(learn);
  }

  async refreshRecords(): Promise<void> {
    await this.#ownership?.refreshRecords();
  }

  async begin(owner: Owner): Promise<void> {
    await this.#ownership?.begin(owner);
  }

  async end(when: "stop" | "now"): Promise<void> {
    await this.#ownership?.end(when);
  }

  /** @param load the number of this load of memory */
  gained(partitions: ReadonlySet<number>, load: number): void {
    for (const partition of partitions) {
      this.#held.set(partition, load);
      this.#leaving.delete(partition);
      this.#heldBack.delete(partition);
    }
  }

  /** The given partitions that are held since that load or an earlier one. */
  heldSince(partitions: ReadonlySet<number>, load: number): ReadonlySet<number> {
    return new Set(
      [...partitions].filter((partition) => (this.#held.get(partition) ?? Number.NaN) <= load),
    );
  }

  leaving(partitions: ReadonlySet<number>): void {
    for (const partition of partitions) if (this.#held.has(partition)) this.#leaving.add(partition);
  }

  /** Takes no more requests and webhook calls of these partitions, which are about to be released. */
  holdBack(partitions: ReadonlySet<number>): void {
    for (const partition of this.stillLeaving(partitions)) this.#heldBack.add(partition);
  }

  /** The given partitions that are still to be released, because they were not lost meanwhile. */
  stillLeaving(partitions: ReadonlySet<number>): ReadonlySet<number> {
    return this.#leaving.intersection(partitions);
  }

  forget(partitions: ReadonlySet<number>): void {
    for (const partition of partitions) {
      this.#held.delete(partition);
      this.#leaving.delete(partition);
      this.#heldBack.delete(partition);
    }
  }

  /** Whether these partitions contain the records without an endpoint. */
  isServiceOf(partitions: ReadonlySet<number>): boolean {
    return this.#ownership !== undefined && partitions.has(this.#ownership.servicePartition);
  }

  /** Returns a function that tells whether an endpoint is in these partitions. */
  isOf(partitions: ReadonlySet<number>): (endpointId: string) => boolean {
    const ownership = this.#ownership;
    return (endpointId) =>
      ownership !== undefined && partitions.has(ownership.partitionOf(endpointId));
  }
}
