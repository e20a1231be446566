/**
 * Port: which endpoints this process decides for, where several processes (replicas) share one store. All endpoints are spread
 * over a fixed number of parts; each part has one owner at a time, who alone writes what belongs to its endpoints and answers
 * for them from memory. A store that one process has to itself has no such port: that process owns everything.
 */
import type { RecordKind, Records } from "./records.ts";
import type { Boot } from "./store.ts";

export interface Replica {
  /** Given anew at each start. */
  readonly id: string;
  /** URL at which the other replicas reach it. */
  readonly address: string;
  /** `tls://host:port` at which workers from elsewhere reach it; undefined: they do not. */
  readonly workerAddress?: string | undefined;
}

export interface ReplicaState extends Replica {
  /** Version of sv-runtime. */
  readonly version: string;
  /** By the clock of the database, ms. */
  readonly startedAt: number;
  /** Service time, ms: it is alive until then, also if it is not heard of any more; as far as this replica knows. */
  readonly leaseEndsAt: number;
  /** By how much the clock of its machine is ahead of the database's, ms. */
  readonly clockAheadMs: number;
  /** The parts that it owns. */
  readonly parts: readonly number[];
}

/** What the store has of parts that were gained. */
export interface Gain extends Pick<Boot, "counts" | "running"> {
  readonly parts: ReadonlySet<number>;
  /** No key above this one is in any batch that any replica has stored. */
  readonly lastSeq: number;
  /** For how long nobody had each of them, ms, as far as the store can tell; those are absent that were given by their owner. */
  readonly unownedMs: ReadonlyMap<number, number>;
}

/** Records that another replica changed; undefined stands for one that is gone. Those of use are not told of. */
export interface ChangedRecords {
  /** The version of the records with these changes. */
  readonly version: number;
  readonly records: readonly {
    readonly kind: RecordKind;
    readonly id: string;
    readonly record: Records[RecordKind] | undefined;
  }[];
}

/**
 * How long running jobs are waited for before they are put back into the queue: `idle` as long as is reasonable, `stop` as long
 * as at the stop of an emulator that is alone, `now` hardly.
 */
export type LeaveWhen = "idle" | "stop" | "now";

/** Who decides for what is owned: the engine. Nothing of it may throw. */
export interface Owner {
  /** From the end of the call on the endpoints of these parts are decided for here. */
  gained(gain: Gain): void;
  /**
   * The parts are to be given away; their batches are stored until it resolves. It resolves when nothing of them is under way any
   * more: no step, no batch, no worker; from then on they are not decided for here.
   */
  leave(parts: ReadonlySet<number>, when: LeaveWhen): Promise<void>;
  /**
   * Somebody else has the parts, or may have: whatever memory has of them is forgotten at once, unstored. Told of parts that are
   * being left, too, and before a batch is refused with PartsLostError that was about parts held until then.
   */
  lost(parts: ReadonlySet<number>): void;
}

export interface Ownership {
  readonly self: Replica;
  /**
   * Whether nobody else can have the part of the endpoint now; also while it is being left. To be asked before every answer that
   * comes from memory and before every hand-over that waits for no batch: the process may have stood still since the request arrived.
   */
  owns(endpointId: string): boolean;
  /** The same of what belongs to no endpoint: bills of volumes, pods, what is pruned over all endpoints. */
  ownsService(): boolean;
  /** How many parts there are; they are numbered from 0. */
  readonly partCount: number;
  /** The part that the endpoint belongs to, always the same. */
  partOf(endpointId: string): number;
  /** That of what belongs to no endpoint. */
  readonly servicePart: number;
  /**
   * The lowest key that may be given after `seq`: nobody else ever gives it, and it is above all keys that were stored by any
   * replica until about a second ago.
   */
  keyAfter(seq: number): number;
  /** Who has the endpoint, as far as this replica knows; undefined: nobody, for now. */
  ownerOf(endpointId: string): Replica | undefined;
  serviceOwner(): Replica | undefined;
  /** All that are alive, this one among them, by id. */
  replicas(): readonly ReplicaState[];
  /** Resolves at the next change of any owner that this replica learns of, or when `signal` aborts. */
  moved(signal: AbortSignal): Promise<void>;
  /**
   * Has `learn` called with what other replicas change of what `boot` answered; to be called once, right after that. It is not
   * called while a batch that changes records is being stored.
   */
  follow(learn: (changed: ChangedRecords) => void): void;
  /**
   * Has everything told to who follows, before it resolves, that other replicas changed before the call.
   *
   * @throws StoreUnusableError, StoreLostError, StoreClosedError
   */
  refreshRecords(): Promise<void>;
  /** Begins to claim parts, after `boot`. Resolves when it has those that nobody else had. @throws as `refreshRecords` */
  begin(owner: Owner): Promise<void>;
  /**
   * Gives everything away, each part as soon as nothing of it is under way; claims nothing more. Records can be changed until the
   * store is closed. Idempotent.
   */
  end(when: "stop" | "now"): Promise<void>;
}
