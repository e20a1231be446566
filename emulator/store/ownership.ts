/**
 * Port: ownership of endpoints by processes (replicas) that share one store. All endpoints are spread over a fixed number of
 * partitions. Each partition has one owner at a time. Only the owner writes the partition's data, and serves its endpoints from
 * memory. The store of a single process does not have this port, because the process owns everything.
 */
import type { RecordKind, Records } from "./records.ts";
import type { Boot } from "./store.ts";

export interface Replica {
  /** Id of the replica, new at each start. */
  readonly id: string;
  /** URL at which other replicas reach this one. */
  readonly address: string;
  /** `tls://host:port` for workers of other machines. Undefined if they cannot reach the replica. */
  readonly workerAddress?: string | undefined;
}

export interface ReplicaState extends Replica {
  /** Version of sv-runtime. */
  readonly version: string;
  /** By the clock of the database, ms. */
  readonly startedAt: number;
  /** Known end of the lease, service time in ms. The replica counts as alive until then. */
  readonly leaseEndsAt: number;
  /** Lead of the machine's clock over the clock of the database, ms. */
  readonly clockAheadMs: number;
  /** Partitions that the replica owns. */
  readonly partitions: readonly number[];
}

/** Stored data of gained partitions. */
export interface Gain extends Pick<Boot, "counts" | "running"> {
  readonly partitions: ReadonlySet<number>;
  /** Highest key of all stored batches of all replicas. */
  readonly lastSeq: number;
  /** Known time without an owner, by partition, ms. Absent if the owner released the partition. */
  readonly unownedMs: ReadonlyMap<number, number>;
}

/** Records that other replicas changed, except usage. An undefined record was removed. */
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
 * Time that a release waits for running jobs before they go back into the queue: a reasonable time (`idle`), as long as the
 * stop of a single emulator (`stop`), or hardly any (`now`).
 */
export type LeaveWhen = "idle" | "stop" | "now";

/** The owner of partitions: the engine. Its methods must not throw. */
export interface Owner {
  /** When the call returns, this process owns the endpoints of these partitions. */
  gained(gain: Gain): void;
  /**
   * Prepares the release of the partitions. Resolves when none of their steps, batches and workers is under way. Their batches
   * are stored until then; afterwards this process does not own the partitions.
   */
  leave(partitions: ReadonlySet<number>, when: LeaveWhen): Promise<void>;
  /**
   * Drops the partitions from memory at once, without storing anything, because another replica may own them. Also called for
   * partitions that are being left, and before a batch is refused with PartitionsLostError about partitions held until then.
   */
  lost(partitions: ReadonlySet<number>): void;
}

export interface Ownership {
  readonly self: Replica;
  /**
   * Whether no other replica can own the endpoint now. Also true while the endpoint is being left. Check this before every answer
   * from memory and every hand-over that does not wait for a batch, because the process may have been suspended since the request
   * arrived.
   */
  owns(endpointId: string): boolean;
  /** Whether no other replica can own what belongs to no endpoint: bills of volumes, pods, and pruning across endpoints. */
  ownsService(): boolean;
  /** Number of partitions. They are numbered from 0. */
  readonly partitionCount: number;
  /** Partition of the endpoint. It never changes. */
  partitionOf(endpointId: string): number;
  /** Partition of everything that belongs to no endpoint. */
  readonly servicePartition: number;
  /**
   * Lowest key that may be assigned after `seq`. No other replica ever assigns this key. It is above all keys that any replica
   * had stored a second ago.
   */
  keyAfter(seq: number): number;
  /** Last known owner of the endpoint. Undefined if the endpoint has no owner at the moment. */
  ownerOf(endpointId: string): Replica | undefined;
  serviceOwner(): Replica | undefined;
  /** All live replicas by id, including this one. */
  replicas(): readonly ReplicaState[];
  /** Resolves when this replica learns of the next change of an owner, or when `signal` aborts. */
  moved(signal: AbortSignal): Promise<void>;
  /**
   * Calls `learn` with changes that other replicas make to the records that `boot` returned. Call this once, right after `boot`.
   * `learn` is not called while a batch that changes records is being stored.
   */
  follow(learn: (changed: ChangedRecords) => void): void;
  /**
   * Resolves when the follower knows all changes that other replicas made before the call.
   *
   * @throws StoreUnusableError, StoreLostError, StoreClosedError
   */
  refreshRecords(): Promise<void>;
  /**
   * Begins to claim partitions, after `boot`. Resolves when it has the partitions without an owner.
   *
   * @throws as `refreshRecords`
   */
  begin(owner: Owner): Promise<void>;
  /**
   * Claims nothing more, and releases each partition as soon as no work of it is under way. Records can be changed until the
   * store is closed. Idempotent.
   */
  end(when: "stop" | "now"): Promise<void>;
}
