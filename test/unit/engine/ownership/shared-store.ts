/** One store in memory for several engines, with the fences of a shared store; the test assigns ownership. */
import assert from "node:assert/strict";
import { dueAt } from "../../../../emulator/core/jobs/job-due.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Batch, Change } from "../../../../emulator/store/batch.ts";
import {
  type ChangedRecords,
  type Gain,
  type LeaveWhen,
  type Owner,
  type Ownership,
  type Replica,
} from "../../../../emulator/store/ownership.ts";
import type { RecordKind, Records } from "../../../../emulator/store/records.ts";
import {
  PartitionsLostError,
  RecordsMovedError,
  type Store,
} from "../../../../emulator/store/store.ts";
import { Turns } from "../../../../emulator/core/turns.ts";
import { storeWith } from "../store-with.ts";

const PARTITIONS = 8;
const SERVICE_PARTITION = 0;
const SLOTS = 64;

/** Partition of an endpoint by its name: `echo-3` is of partition 3, and one without a number of partition 1. */
export function partitionOf(endpointId: string): number {
  return Number(/-(\d+)$/.exec(endpointId)?.[1] ?? 1) % PARTITIONS;
}

export class SharedStore {
  readonly store = createMemoryStore();
  /** The owner of each partition. */
  readonly owners = new Map<number, SharedReplica>();
  /** Number of owners of each partition so far. */
  readonly epochs = new Map<number, number>();
  readonly replicas: SharedReplica[] = [];
  lastSeq = 0;
  recordsVersion = 0;
  /** Whether it is fenced; otherwise any replica may store. */
  isFenced = true;
  /** Called with each batch that is stored. */
  look: (batch: Batch) => void = () => undefined;
  readonly #turns = new Turns();
  /** Each change of a record, with its new version. */
  readonly #changes: {
    readonly version: number;
    readonly kind: RecordKind;
    readonly id: string;
  }[] = [];
  #batches = 0;

  join(): SharedReplica {
    const replica = new SharedReplica(this, this.replicas.length);
    this.replicas.push(replica);
    return replica;
  }

  /**
   * Stores the batch if it has the present epochs of all its partitions, and its changes of records are based on
   * the newest ones.
   */
  storeFenced(batch: Batch, epochs: ReadonlyMap<number, number>): Promise<void> {
    return this.#turns.inTurn(async () => {
      const isLost = (partition: number) =>
        !this.owners.has(partition) || this.epochs.get(partition) !== epochs.get(partition);
      const lost = [...partitionsOf(batch)].filter(isLost);
      if (lost.length > 0 && this.isFenced) throw new PartitionsLostError(new Set(lost));
      const { recordsVersion } = batch;
      if (recordsVersion !== undefined && recordsVersion !== this.recordsVersion)
        throw new RecordsMovedError();
      this.look(batch);
      await this.store.flush({ ...batch, number: this.#batches + 1 });
      this.#batches += 1;
      this.lastSeq = Math.max(this.lastSeq, batch.lastSeq);
      if (recordsVersion === undefined) return;
      this.recordsVersion += 1;
      const version = this.recordsVersion;
      for (const change of batch.changes)
        if (isOfRecord(change)) this.#changes.push({ version, kind: change.kind, id: change.id });
    });
  }

  async recordsSince(known: number): Promise<ChangedRecords> {
    const { records } = await this.store.boot();
    const version = this.recordsVersion;
    const changed = this.#changes.filter((change) => change.version > known);
    return {
      version,
      records: changed.map(({ kind, id }) => {
        const kept: ReadonlyMap<string, Records[RecordKind]> =
          kind === "usage" ? new Map() : records[kind];
        return { kind, id, record: kept.get(id) };
      }),
    };
  }

  async gainOf(partitions: ReadonlySet<number>): Promise<Gain> {
    const { counts, running } = await this.store.boot();
    return {
      partitions,
      counts: new Map([...counts].filter(([id]) => partitions.has(partitionOf(id)))),
      running: running.filter(({ endpointId }) => partitions.has(partitionOf(endpointId))),
      lastSeq: this.lastSeq,
      unownedMs: new Map(),
    };
  }
}

export class SharedReplica implements Ownership {
  readonly self: Replica;
  /** The store for its engine. */
  readonly store: Store;
  readonly slot: number;
  readonly servicePartition = SERVICE_PARTITION;
  readonly partitionCount = PARTITIONS;
  owner: Owner | undefined;
  /** True: the process was frozen, or the store has not answered, so its ownership is unknown. */
  isUnsure = false;
  /** Partitions that it owns when its engine starts. */
  first: readonly number[] = [];
  hasEnded = false;
  /** Gates before a batch reaches the store, and before its owner learns of that. */
  before: () => Promise<void> = async () => undefined;
  after: () => Promise<void> = async () => undefined;
  readonly #shared: SharedStore;
  /** The loads of its present or last partitions. */
  readonly #epochs = new Map<number, number>();
  #learn: (changed: ChangedRecords) => void = () => undefined;
  #known = 0;
  #line = 0;

  constructor(shared: SharedStore, slot: number) {
    this.#shared = shared;
    this.slot = slot;
    this.self = { id: `replica-${slot}`, address: `http://replica-${slot}.test` };
    const { store } = shared;
    const isOwn = ({ endpointId }: { readonly endpointId: string }) =>
      this.#has(partitionOf(endpointId));
    this.store = storeWith(store, {
      boot: async () => {
        this.#known = shared.recordsVersion;
        const boot = await store.boot();
        return { ...boot, batch: 0, counts: new Map(), running: [], recordsVersion: this.#known };
      },
      flush: (batch) => this.#flush(batch),
      dueJobs: async (now, limit) =>
        (await store.dueJobs(now, Number.MAX_SAFE_INTEGER)).filter(isOwn).slice(0, limit),
      nextDueAt: async () => {
        const due = await store.dueJobs(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
        const [first] = due.filter(isOwn);
        return first && dueAt(first);
      },
      deliveries: {
        ...store.deliveries,
        due: async (now, limit, except) =>
          (await store.deliveries.due(now, 1_000, except)).filter(isOwn).slice(0, limit),
        oldestSettledAt: async () =>
          this.#has(SERVICE_PARTITION) ? store.deliveries.oldestSettledAt() : undefined,
        firstPending: async (jobId) => {
          const found = await store.deliveries.firstPending(jobId);
          return found && isOwn(found) ? found : undefined;
        },
      },
      reports: {
        ...store.reports,
        oldestDeletedAt: async () =>
          this.#has(SERVICE_PARTITION) ? store.reports.oldestDeletedAt() : undefined,
      },
      close: async () => undefined,
    });
  }

  owns(endpointId: string): boolean {
    return !this.isUnsure && this.#has(partitionOf(endpointId));
  }

  ownsService(): boolean {
    return !this.isUnsure && this.#has(SERVICE_PARTITION);
  }

  partitionOf(endpointId: string): number {
    return partitionOf(endpointId);
  }

  keyAfter(seq: number): number {
    const key = Math.floor(seq / SLOTS) * SLOTS + this.slot;
    return key > seq ? key : key + SLOTS;
  }

  ownerOf(endpointId: string): Replica | undefined {
    return this.#shared.owners.get(partitionOf(endpointId))?.self;
  }

  serviceOwner(): Replica | undefined {
    return this.#shared.owners.get(SERVICE_PARTITION)?.self;
  }

  replicas(): readonly [] {
    return [];
  }

  async moved(): Promise<void> {}

  async refreshRecords(): Promise<void> {
    const known = this.#known;
    const changed = await this.#shared.recordsSince(known);
    this.#known = changed.version;
    if (changed.version > known) this.#learn(changed);
  }

  follow(learn: (changed: ChangedRecords) => void): void {
    this.#learn = learn;
  }

  async begin(owner: Owner): Promise<void> {
    this.owner = owner;
    if (this.first.length > 0) await this.take(...this.first);
  }

  async end(when: "stop" | "now"): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const partitions = [...this.#shared.owners].flatMap(([partition, owner]) =>
      owner === this ? [partition] : [],
    );
    const leave = async (partition: number) => {
      await this.owner?.leave(new Set([partition]), when);
      this.#shared.owners.delete(partition);
    };
    await Promise.all(partitions.map(leave));
  }

  /** Takes the partitions from their owners, which learn of it later or never. */
  async take(...partitions: readonly number[]): Promise<void> {
    const { epochs, owners } = this.#shared;
    for (const partition of partitions) {
      const epoch = (epochs.get(partition) ?? 0) + 1;
      owners.set(partition, this);
      epochs.set(partition, epoch);
      this.#epochs.set(partition, epoch);
    }
    const gain = await this.#shared.gainOf(new Set(partitions));
    assert(this.owner, "its engine has not begun");
    this.owner.gained(gain);
  }

  /** Moves the partitions to another replica in order. */
  async give(to: SharedReplica, when: LeaveWhen, ...partitions: readonly number[]): Promise<void> {
    await this.owner?.leave(new Set(partitions), when);
    await to.take(...partitions);
  }

  async #flush(batch: Batch): Promise<void> {
    assert.equal(batch.number, this.#line + 1);
    const epochs = new Map(this.#epochs);
    await this.before();
    await this.#shared.storeFenced(batch, epochs);
    this.#line += 1;
    await this.after();
  }

  #has(partition: number): boolean {
    return this.#shared.owners.get(partition) === this;
  }
}

function isOfRecord(
  change: Change,
): change is Change & { readonly kind: RecordKind; readonly id: string } {
  return change.type === "put-record" || change.type === "delete-record";
}

/** All changes of a batch have a partition, except those of records. */
function partitionsOf({ jobs, counts, changes }: Batch): Set<number> {
  const partitions = new Set(
    [...counts.keys(), ...jobs.map(({ after }) => after.endpointId)].map(partitionOf),
  );
  for (const change of changes) {
    const partition = partitionOfChange(change);
    if (partition !== undefined) partitions.add(partition);
  }
  return partitions;
}

function partitionOfChange(change: Change): number | undefined {
  if ("endpointId" in change) return partitionOf(change.endpointId);
  if ("job" in change) return partitionOf(change.job.endpointId);
  if ("delivery" in change) return partitionOf(change.delivery.endpointId);
  if ("report" in change) return partitionOf(change.report.job.endpointId);
  if (!isOfRecord(change)) return SERVICE_PARTITION;
  if (change.type !== "put-record" || change.kind !== "usage") return undefined;
  const usage = change.record;
  return "endpointId" in usage && typeof usage.endpointId === "string"
    ? partitionOf(usage.endpointId)
    : SERVICE_PARTITION;
}
