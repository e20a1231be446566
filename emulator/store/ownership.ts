/**
 * Port: which endpoints this process owns, where several processes (replicas) share one store. All endpoints are spread over a fixed
 * number of partitions. Each partition has one owner at a time, which alone writes its data and answers for its endpoints from
 * memory. The store of a single process has no such port: the process owns everything.
 */
import type { RecordKind, Records } from "./records.ts";
import type { Boot } from "./store.ts";

export interface Replica {
  /** New at each start. */
  readonly id: string;
  /** URL at which other replicas reach it. */
  readonly address: string;
  /** `tls://host:port` at which workers from elsewhere reach it; undefined: nowhere. */
  readonly workerAddress?: string | undefined;
}

export interface ReplicaState extends Replica {
  /** Version of sv-runtime. */
  readonly version: string;
  /** By the clock of the database, ms. */
  readonly startedAt: number;
  /** End of its lease as far as this replica knows, service time in ms: until then it counts as alive. */
  readonly leaseEndsAt: number;
  /** How far the clock of its machine is ahead of the clock of the database, ms. */
  readonly clockAheadMs: number;
  /** Partitions that it owns. */
  readonly partitions: readonly number[];
}

/** Stored data of gained partitions. */
export interface Gain extends Pick<Boot, "counts" | "running"> {
  readonly partitions: ReadonlySet<number>;
  /** Highest key of all stored batches of all replicas. */
  readonly lastSeq: number;
  /** Time without an owner by partition, ms, as far as the store can tell; absent if the owner released the partition. */
  readonly unownedMs: ReadonlyMap<number, number>;
}

/** Records that other replicas changed, except usage; undefined: the record was removed. */
export interface ChangedRecords {
  /** Version of the records with these changes. */
  readonly version: number;
  readonly records: readonly {
    readonly kind: RecordKind;
    readonly id: string;
    readonly record: Records[RecordKind] | undefined;
  }[];
}

/**
 * How long a leave waits for running jobs before they go back into the queue: `idle` a reasonable time, `stop` as long as at the
 * stop of a single emulator, `now` hardly.
 */
export type LeaveWhen = "idle" | "stop" | "now";

/** The owner of partitions: the engine. Its methods must not throw. */
export interface Owner {
  /** From the end of the call on this process owns the endpoints of these partitions. */
  gained(gain: Gain): void;
  /**
   * The partitions are to be released; their batches are stored until it resolves. It resolves when no step, batch or worker of them
   * is under way; from then on this process does not own them.
   */
  leave(partitions: ReadonlySet<number>, when: LeaveWhen): Promise<void>;
  /**
   * Another replica owns the partitions, or may own them: memory forgets them at once, unstored. Called for partitions that are being
   * left, too, and before a batch is refused with PartitionsLostError about partitions that were held until then.
   */
  lost(partitions: ReadonlySet<number>): void;
}

export interface Ownership {
  readonly self: Replica;
  /**
   * Whether no other replica can own the endpoint now; also true while it is being left. To be asked before every answer from memory
   * and before every hand-over that waits for no batch: the process may have stood still since the request arrived.
   */
  owns(endpointId: string): boolean;
  /** Whether no other replica can own what belongs to no endpoint: bills of volumes, pods, pruning over all endpoints. */
  ownsService(): boolean;
  /** Number of partitions, which are numbered from 0. */
  readonly partitionCount: number;
  /** Partition of the endpoint, always the same. */
  partitionOf(endpointId: string): number;
  /** Partition of everything that belongs to no endpoint. */
  readonly servicePartition: number;
  /**
   * Lowest key that may be given after `seq`: no other replica ever gives it, and it is above all keys that any replica had stored a
   * second ago.
   */
  keyAfter(seq: number): number;
  /** Owner of the endpoint as far as this replica knows; undefined: none at the moment. */
  ownerOf(endpointId: string): Replica | undefined;
  serviceOwner(): Replica | undefined;
  /** All live replicas by id, this one among them. */
  replicas(): readonly ReplicaState[];
  /** Resolves when this replica learns of the next change of an owner, or when `signal` aborts. */
  moved(signal: AbortSignal): Promise<void>;
  /**
   * Calls `learn` with changes by other replicas of the records that `boot` answered. To be called once, right after `boot`. `learn`
   * is not called while a batch that changes records is being stored.
   */
  follow(learn: (changed: ChangedRecords) => void): void;
  /**
   * Resolves after all changes of other replicas before the call were told to the follower.
   *
   * @throws StoreUnusableError, StoreLostError, StoreClosedError
   */
  refreshRecords(): Promise<void>;
  /** Begins to claim partitions, after `boot`. Resolves when it has those without an owner. @throws as `refreshRecords` */
  begin(owner: Owner): Promise<void>;
  /**
   * Releases everything, each partition as soon as nothing of it is under way, and claims nothing more. Records can be changed until
   * the store is closed. Idempotent.
   */
  end(when: "stop" | "now"): Promise<void>;
}
