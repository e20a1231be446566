/** Which endpoints this process decides for, as the engine knows it: all of them, unless several processes share the store. */
import type { ChangedRecords, Owner, Ownership } from "../../../store/ownership.ts";
import { endpointMoved } from "./endpoint-moved.ts";

export class OwnedParts {
  readonly #ownership: Ownership | undefined;
  /** The parts in memory, each with the number of the load that brought it. */
  readonly #held = new Map<number, number>();
  /** The held parts that are to be given away. */
  readonly #leaving = new Set<number>();
  /** The leaving parts that take no more requests. */
  readonly #heldBack = new Set<number>();

  constructor(ownership?: Ownership) {
    this.#ownership = ownership;
  }

  get isShared(): boolean {
    return this.#ownership !== undefined;
  }

  /** Whether memory has it, by part; empty unless several processes share the store. */
  get parts(): readonly boolean[] {
    const length = this.#ownership?.partitionCount ?? 0;
    return Array.from({ length }, (_, part) => this.#held.has(part));
  }

  /** Steps may change the endpoint's jobs: memory has them. What it has may be outdated, which a batch finds out. */
  holds(endpointId: string): boolean {
    return this.#ownership === undefined || this.#held.has(this.#ownership.partitionOf(endpointId));
  }

  holdsService(): boolean {
    return this.#ownership === undefined || this.#held.has(this.#ownership.servicePartition);
  }

  /** Whether workers get no further job of the endpoint, because its part is to be given away. */
  isLeaving(endpointId: string): boolean {
    return this.#leaving.size > 0 && this.isOf(this.#leaving)(endpointId);
  }

  /** Whether workers get no further request of the endpoint either, and no webhook call begins. */
  isHeldBack(endpointId: string): boolean {
    return this.#heldBack.size > 0 && this.isOf(this.#heldBack)(endpointId);
  }

  /** What memory has of the endpoint is what there is, so that it may be answered. */
  owns(endpointId: string): boolean {
    if (this.#ownership === undefined) return true;
    return this.holds(endpointId) && this.#ownership.owns(endpointId);
  }

  /** To be called before every answer from memory, after all that it waits for. @throws ServiceError endpoint_moved */
  refuseMoved(endpointId: string): void {
    if (!this.owns(endpointId)) throw endpointMoved({ endpointId });
  }

  /** The next ascending key after the last one that was given here. */
  keyAfter(lastKey: number): number {
    return this.#ownership === undefined ? lastKey + 1 : this.#ownership.keyAfter(lastKey);
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

  /** @param load counts the loads of memory */
  gained(parts: ReadonlySet<number>, load: number): void {
    for (const part of parts) {
      this.#held.set(part, load);
      this.#leaving.delete(part);
      this.#heldBack.delete(part);
    }
  }

  /** The parts among them that are held and came with that load, or one before. */
  heldSince(parts: ReadonlySet<number>, load: number): ReadonlySet<number> {
    return new Set([...parts].filter((part) => (this.#held.get(part) ?? Number.NaN) <= load));
  }

  leaving(parts: ReadonlySet<number>): void {
    for (const part of parts) if (this.#held.has(part)) this.#leaving.add(part);
  }

  /** Ends requests and webhook calls of the parts among these that are leaving: no other ones begin. */
  holdBack(parts: ReadonlySet<number>): void {
    for (const part of this.stillLeaving(parts)) this.#heldBack.add(part);
  }

  /** The parts among them that are still to be given away: they were not lost since. */
  stillLeaving(parts: ReadonlySet<number>): ReadonlySet<number> {
    return this.#leaving.intersection(parts);
  }

  forget(parts: ReadonlySet<number>): void {
    for (const part of parts) {
      this.#held.delete(part);
      this.#leaving.delete(part);
      this.#heldBack.delete(part);
    }
  }

  /** Whether what belongs to no endpoint is of these parts. */
  isServiceOf(parts: ReadonlySet<number>): boolean {
    return this.#ownership !== undefined && parts.has(this.#ownership.servicePartition);
  }

  /** Whether an endpoint is of these parts. */
  isOf(parts: ReadonlySet<number>): (endpointId: string) => boolean {
    const ownership = this.#ownership;
    return (endpointId) => ownership !== undefined && parts.has(ownership.partitionOf(endpointId));
  }
}
