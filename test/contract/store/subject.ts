/** Needs of the store's contract from an adapter, and an owner that writes to it. */
import { countChange, NO_COUNTS, type JobCounts } from "../../../emulator/core/jobs/job-counts.ts";
import type { Usage } from "../../../emulator/core/billing/usage.ts";
import type { JobEvent } from "../../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { submitJob, transition } from "../../../emulator/core/jobs/job-transition.ts";
import {
  type Delivery,
  deliveryFrame,
  newDelivery,
} from "../../../emulator/core/webhooks/delivery.ts";
import type { Batch, Change, JobRow, Place } from "../../../emulator/store/batch.ts";
import type { Boot, Store, StoreReads } from "../../../emulator/store/store.ts";
import { type ChunkBatch, chunksOf } from "../../../runtime/protocol/chunk-batch.ts";
import type { Payload, PayloadSlot, StagedBatch } from "../../../emulator/store/payload.ts";

/** A store under test; disposing of it closes the store and removes its files. */
export interface StoreSubject extends AsyncDisposable {
  readonly store: Store;
  /** Closes the store and opens it again on the same data; only adapters that survive a restart have it. */
  readonly reopen?: () => Promise<Store>;
}

export type OpenSubject = () => Promise<StoreSubject>;

export const ALL_CHUNKS = { from: 0, maxCount: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };

/** Service time at which the suite's jobs are submitted. */
export const NOW = 1_800_000_000_000;

/** Default submission time. */
const ENDPOINT_ID = "hello";

export interface JobWishes {
  readonly id?: string;
  readonly endpointId?: string;
  readonly ttlMs?: number;
  readonly lowPriority?: boolean;
  readonly at?: number;
  readonly traceparent?: string;
  readonly kind?: Job["kind"];
  readonly dialect?: Job["dialect"];
}

export function waitingJob(seq: number, wishes: JobWishes = {}): Job {
  const specification = {
    seq,
    id: wishes.id ?? `0190-${String(seq).padStart(12, "0")}-e1`,
    endpointId: wishes.endpointId ?? ENDPOINT_ID,
    kind: wishes.kind ?? "async",
    dialect: wishes.dialect ?? "contract",
    executionTimeoutMs: 600_000,
    ttlMs: wishes.ttlMs ?? 86_400_000,
    retentionMs: 1_800_000,
    lowPriority: wishes.lowPriority ?? false,
    webhook: undefined,
    traceparent: wishes.traceparent,
  } as const;
  return submitJob(specification, wishes.at ?? NOW);
}

/** `job` after the event, which must change it. */
export function afterEvent(job: Job, event: JobEvent, now = NOW): Job {
  const result = transition(job, event, now);
  if (result.result !== "changed") throw new Error(`${event.type}: ${JSON.stringify(result)}`);
  return result.job;
}

export function handedOver(job: Job, workerId = "worker-1", now = NOW): Job {
  const leaseToken = `lease-${job.seq}-${job.attempt + 1}`;
  return afterEvent(job, { type: "hand-over", workerId, leaseToken, leaseMs: 15_000 }, now);
}

export function completed(job: Job, now = NOW): Job {
  return afterEvent(job, { type: "complete", leaseToken: job.lease?.token ?? "" }, now);
}

export function inline(text: string): Payload {
  return { kind: "inline", bytes: Buffer.from(text) };
}

/** Chunks from `firstIndex` on, as one batch. */
export function batch(firstIndex: number, ...texts: string[]): StagedBatch {
  return {
    firstIndex,
    count: texts.length,
    lines: inline(texts.map((text) => `${text}\n`).join("")),
  };
}

/** The texts of all chunks in the batches. */
export function textsOf(batches: readonly ChunkBatch[]): string[] {
  return batches.flatMap(chunksOf).map((chunk) => Buffer.from(chunk).toString());
}

export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

/** `sizeBytes` bytes that reveal a swapped or missing block. */
export function pattern(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 1)
    bytes[index] = (index * 31 + (index >> 8) + seed) & 255;
  return bytes;
}

/** The writer: it numbers batches, assigns keys and counts jobs. */
export class Owner {
  readonly store: Store;
  counts: Map<string, JobCounts>;
  lastSeq: number;
  #number: number;

  private constructor(store: Store, booted: Boot) {
    this.store = store;
    this.#number = booted.batch;
    this.lastSeq = booted.lastSeq;
    this.counts = new Map(booted.counts);
  }

  static async of(store: Store): Promise<Owner> {
    return new Owner(store, await store.boot());
  }

  static at(store: Store, booted: Boot): Owner {
    return new Owner(store, booted);
  }

  nextSeq(): number {
    this.lastSeq += 1;
    return this.lastSeq;
  }

  newJob(wishes?: JobWishes): Job {
    return waitingJob(this.nextSeq(), wishes);
  }

  /** The batch that makes these changes. */
  batchOf(jobs: readonly JobRow[], changes: readonly Change[] = []): Batch {
    const counts = new Map<string, JobCounts>();
    const count = (before: Job | undefined, after: Job | undefined) => {
      const id = (after ?? before)?.endpointId ?? "";
      const known = counts.get(id) ?? this.counts.get(id) ?? NO_COUNTS;
      counts.set(id, countChange(known, before, after));
    };
    for (const { before, after } of jobs) count(before, after);
    for (const made of changes) if (made.type === "delete-job") count(made.job, undefined);
    return { number: this.#number + 1, lastSeq: this.lastSeq, jobs, changes, counts };
  }

  async flush(jobs: readonly JobRow[], changes?: readonly Change[]): Promise<Batch> {
    const made = this.batchOf(jobs, changes);
    await this.store.flush(made);
    this.#number = made.number;
    for (const [endpointId, counts] of made.counts) this.counts.set(endpointId, counts);
    return made;
  }

  async change(...changes: readonly Change[]): Promise<void> {
    await this.flush([], changes);
  }

  async insert(wishes?: JobWishes): Promise<Job> {
    const job = this.newJob(wishes);
    await this.flush([inserted(job)]);
    return job;
  }

  async insertMany(...wishes: readonly JobWishes[]): Promise<readonly Job[]> {
    const jobs = wishes.map((wish) => this.newJob(wish));
    await this.flush(jobs.map(inserted));
    return jobs;
  }

  async replace(before: Job, after: Job): Promise<Job> {
    await this.flush([{ before, after }]);
    return after;
  }

  /** Stores a delivery for the end of `job`, with its share of the payloads. */
  deliveryOf(job: Job, wishes: DeliveryWishes = {}) {
    const ended = { ...job, webhook: wishes.url ?? "https://one.test/hook?a=ü" };
    const { isFirst = true, at = NOW } = wishes;
    const seq = this.nextSeq();
    const delivery = newDelivery(ended, { seq, isFirst }, at);
    const frame = deliveryFrame(ended);
    const frameBytes = frame.head.length + frame.tail.length;
    const insert: Change = { type: "insert-delivery", delivery, frame };
    const stored = (payloadBytes = 0): Delivery => ({
      ...delivery,
      sizeBytes: frameBytes + payloadBytes,
    });
    return { seq, frame, insert, stored };
  }
}

export interface DeliveryWishes {
  readonly url?: string;
  readonly at?: number;
  readonly isFirst?: boolean;
}

export function inserted(after: Job): JobRow {
  return { before: undefined, after };
}

/** Key of a job's payloads and chunks; without an endpoint the job is one of `waitingJob`. */
export const under = ({ seq, endpointId = ENDPOINT_ID }: Partial<Place> & Pick<Place, "seq">) => ({
  seq,
  endpointId,
});

export const put = (
  place: Parameters<typeof under>[0],
  slot: PayloadSlot,
  payload: Payload,
): Change => ({
  type: "put-payload",
  ...under(place),
  slot,
  payload,
});

export const deleted = (job: Job): Change => ({ type: "delete-job", job });

/** A job that was inserted, run and completed, in three batches. */
export async function finished(owner: Owner, wishes?: JobWishes): Promise<Job> {
  const job = await owner.insert(wishes);
  const running = await owner.replace(job, handedOver(job));
  return owner.replace(running, completed(running));
}

export async function bytesAt(
  store: StoreReads,
  seq: number,
  slot: PayloadSlot,
): Promise<Buffer | undefined> {
  const bytes = await (await store.payload(seq, slot))?.bytes();
  return bytes && Buffer.from(bytes);
}

export async function stageOne(store: Store, bytes: Uint8Array): Promise<Payload> {
  const [payload] = await store.stage([bytes]);
  if (payload === undefined) throw new Error("nothing was staged");
  return payload;
}

export function usageOf(id: string): Usage {
  const span = { startedAt: 1, endedAt: 2, seenAt: 2, perHour: 0.1, diskInGb: 3 };
  return { id, kind: "volume", volumeId: "volume", ...span };
}
