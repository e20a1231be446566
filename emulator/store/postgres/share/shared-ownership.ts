/** Adapter of the ownership port for replicas that share a database. */
import type { Clock } from "../../../core/time/clock.ts";
import type { ChangedRecords, Owner, Ownership, Replica, ReplicaState } from "../../ownership.ts";
import { partitionOf, PARTITIONS, SERVICE_PARTITION } from "../claim/partitions.ts";
import type { Notice } from "../claim/notices.ts";
import { pause } from "../../../core/time/pause.ts";
import type { Session } from "../connect/session.ts";
import type { KnownOwners } from "./known-owners.ts";
import type { PartitionKeeper } from "./partition-keeper.ts";
import type { RecordChanges } from "./record-changes.ts";

export interface OwnershipParts {
  readonly owners: KnownOwners;
  readonly keeper: PartitionKeeper;
  readonly records: RecordChanges;
  readonly clock: Clock;
  /** Maximum time that `end` waits for an unreachable database. */
  readonly leaseMs: number;
  /** Starts the next renewal at once. */
  readonly hurry: () => void;
  /** Resolves after a renewal that began after the call. */
  readonly renewed: () => Promise<void>;
}

export class SharedOwnership implements Ownership {
  readonly servicePartition = SERVICE_PARTITION;
  readonly partitionCount = PARTITIONS;
  readonly #parts: OwnershipParts;
  #ended: Promise<void> | undefined;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  get self(): Replica {
    return this.#parts.owners.self;
  }

  owns(endpointId: string): boolean {
    return this.#parts.owners.isOwn(partitionOf(endpointId));
  }

  ownsService(): boolean {
    return this.#parts.owners.isOwn(SERVICE_PARTITION);
  }

  ownerOf(endpointId: string): Replica | undefined {
    return this.#parts.owners.ownerOf(partitionOf(endpointId));
  }

  serviceOwner(): Replica | undefined {
    return this.#parts.owners.ownerOf(SERVICE_PARTITION);
  }

  replicas(): readonly ReplicaState[] {
    return this.#parts.owners.replicas();
  }

  partitionOf(endpointId: string): number {
    return partitionOf(endpointId);
  }

  keyAfter(seq: number): number {
    const { slot, highestSeq } = this.#parts.keeper;
    const last = Math.max(seq, highestSeq);
    const key = Math.floor(last / PARTITIONS) * PARTITIONS + slot;
    return key > last ? key : key + PARTITIONS;
  }

  moved(signal: AbortSignal): Promise<void> {
    return this.#parts.owners.moved(signal);
  }

  follow(learn: (changed: ChangedRecords) => void): void {
    this.#parts.records.follow(learn);
  }

  refreshRecords(): Promise<void> {
    return this.#parts.records.refresh();
  }

  async begin(owner: Owner): Promise<void> {
    const { keeper, renewed } = this.#parts;
    await this.refreshRecords();
    keeper.begin(owner);
    await renewed();
  }

  end(when: "stop" | "now"): Promise<void> {
    return (this.#ended ??= this.#end(when));
  }

  /** Call this with each notice of another replica. */
  hear(said: Notice): void {
    if (said === "partitions") this.#parts.hurry();
    else this.#refreshSoon();
  }

  /** @throws StoreLostError; what `pg` throws */
  async renew(session: Session): Promise<void> {
    const { keeper, records } = this.#parts;
    const version = await keeper.renew(session);
    if (version !== undefined && records.isNews(version)) this.#refreshSoon();
  }

  /** After a failure the next renewal looks again. */
  #refreshSoon(): void {
    void this.refreshRecords().catch(() => undefined);
  }

  async #end(when: "stop" | "now"): Promise<void> {
    const { keeper, clock, leaseMs, renewed } = this.#parts;
    const enough = new AbortController();
    await keeper.end(when);
    await Promise.race([renewed(), pause(clock, leaseMs, enough.signal)]);
    enough.abort();
  }
}
