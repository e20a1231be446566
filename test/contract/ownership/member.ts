/** A replica in a test: an owner that stores jobs of its endpoints and records its calls. */
import { countChange, type JobCounts, NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import {
  type Delivery,
  deliveryFrame,
  newDelivery,
} from "../../../emulator/core/webhooks/delivery.ts";
import type { Change, JobRow } from "../../../emulator/store/batch.ts";
import type {
  ChangedRecords,
  Gain,
  LeaveWhen,
  Owner,
  Ownership,
} from "../../../emulator/store/ownership.ts";
import type { Boot, Store } from "../../../emulator/store/store.ts";
import { endpointRecord } from "../store/endpoint-record.ts";
import { inserted, NOW, waitingJob } from "../store/subject.ts";

/** A replica that an adapter opens. */
export interface Joined {
  readonly store: Store;
  readonly ownership: Ownership;
  /** Ends it abruptly: it releases nothing. */
  kill(): void;
  /** Blocks all its traffic until `wake`, as if its process stood still. */
  freeze(): void;
  wake(): void;
  /** Closes it in order; does nothing if it has ended already. */
  close(): Promise<void>;
}

/** Further content of a batch. */
export interface More {
  readonly changes?: readonly Change[];
  readonly recordsVersion?: number;
}

export class Member implements Owner {
  readonly joined: Joined;
  readonly store: Store;
  readonly ownership: Ownership;
  /** Its partitions. */
  readonly partitions = new Set<number>();
  readonly gains: Gain[] = [];
  /** Losses in order. */
  readonly losses: (readonly number[])[] = [];
  readonly left: { readonly partitions: readonly number[]; readonly when: string }[] = [];
  /** Partitions with work in progress. They are released after it. */
  readonly busy = new Map<number, Promise<void>>();
  readonly changes: ChangedRecords[] = [];
  readonly keys: number[] = [];
  counts = new Map<string, JobCounts>();
  recordsVersion: number;
  #number: number;
  #lastSeq: number;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(joined: Joined, booted: Boot) {
    this.joined = joined;
    this.store = joined.store;
    this.ownership = joined.ownership;
    this.#number = booted.batch;
    this.#lastSeq = booted.lastSeq;
    this.recordsVersion = booted.recordsVersion;
    this.ownership.follow((changed) => this.#learn(changed));
  }

  gained(gain: Gain): void {
    this.gains.push(gain);
    for (const partition of gain.partitions) this.partitions.add(partition);
    for (const [endpointId, counts] of gain.counts) this.counts.set(endpointId, counts);
  }

  async leave(partitions: ReadonlySet<number>, when: LeaveWhen): Promise<void> {
    this.left.push({ partitions: [...partitions], when });
    for (const partition of partitions) await this.busy.get(partition);
    await this.#turn.catch(() => undefined);
    this.#forget(partitions);
  }

  lost(partitions: ReadonlySet<number>): void {
    this.losses.push([...partitions]);
    this.#forget(partitions);
  }

  has(endpointId: string): boolean {
    return this.partitions.has(this.ownership.partitionOf(endpointId));
  }

  newJob(endpointId: string): Job {
    this.#lastSeq = this.ownership.keyAfter(this.#lastSeq);
    this.keys.push(this.#lastSeq);
    return waitingJob(this.#lastSeq, { endpointId });
  }

  insert(endpointId: string): Promise<Job> {
    const job = this.newJob(endpointId);
    return this.flush([inserted(job)]).then(() => job);
  }

  /** Changes a shared record, based on the version that this replica knows. */
  putRecord(id: string, version = 1): Promise<void> {
    const record = { ...endpointRecord(id), version };
    return this.#changeRecord({ type: "put-record", kind: "endpoint", id, record });
  }

  deleteRecord(id: string): Promise<void> {
    return this.#changeRecord({ type: "delete-record", kind: "endpoint", id });
  }

  /** Stores a delivery that is due for the end of the job. */
  async deliver(job: Job): Promise<Delivery["id"]> {
    const ended = { ...job, webhook: "https://one.test/hook" };
    const { seq } = this.newJob(job.endpointId);
    const delivery = newDelivery(ended, { seq, isFirst: true }, NOW);
    const frame = deliveryFrame(ended);
    await this.flush([], { changes: [{ type: "insert-delivery", delivery, frame }] });
    return delivery.id;
  }

  /** Stores one batch after another, like an owner; counts are read from memory when the batch is written. */
  flush(jobs: readonly JobRow[], more: More = {}): Promise<void> {
    const flushed = this.#turn.then(() => this.#flush(jobs, more));
    this.#turn = flushed.catch(() => undefined);
    return flushed;
  }

  #learn(changed: ChangedRecords): void {
    this.changes.push(changed);
    this.recordsVersion = changed.version;
  }

  async #changeRecord(change: Change): Promise<void> {
    const { recordsVersion } = this;
    await this.flush([], { changes: [change], recordsVersion });
    this.recordsVersion = recordsVersion + 1;
  }

  async #flush(jobs: readonly JobRow[], { changes = [], ...more }: More): Promise<void> {
    const counts = new Map<string, JobCounts>();
    for (const { before, after } of jobs) {
      const { endpointId } = after;
      const known = counts.get(endpointId) ?? this.counts.get(endpointId) ?? NO_COUNTS;
      counts.set(endpointId, countChange(known, before, after));
    }
    const number = this.#number + 1;
    await this.store.flush({ number, lastSeq: this.#lastSeq, jobs, changes, counts, ...more });
    this.#number = number;
    for (const [endpointId, counted] of counts) this.counts.set(endpointId, counted);
  }

  #forget(partitions: ReadonlySet<number>): void {
    for (const partition of partitions) this.partitions.delete(partition);
    for (const endpointId of this.counts.keys())
      if (partitions.has(this.ownership.partitionOf(endpointId))) this.counts.delete(endpointId);
  }
}
