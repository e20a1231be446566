/** What the store's contract suite needs of an adapter, and the jobs it is tried with. */
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { submitJob, transition } from "../../../emulator/core/jobs/job-transition.ts";
import { type ChunkBatch, chunksOf } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobEvent } from "../../../emulator/core/jobs/job-event.ts";
import type {
  Payload,
  PayloadSlot,
  StagedBatch,
  Store,
  StoreTransaction,
  StoreView,
} from "../../../emulator/store/store.ts";

/** A store under test; disposing of it closes the store and removes what it left. */
export interface StoreSubject extends AsyncDisposable {
  readonly store: Store;
  /** Closes the store and opens it again on the same data; only adapters that outlive a restart have it. */
  readonly reopen?: () => Promise<Store>;
}

export type OpenSubject = () => Promise<StoreSubject>;

/** Service time at which the suite's jobs are submitted. */
export const NOW = 1_800_000_000_000;

interface JobWishes {
  readonly id?: string;
  readonly endpointId?: string;
  readonly ttlMs?: number;
  readonly lowPriority?: boolean;
  readonly at?: number;
  readonly traceparent?: string;
  readonly kind?: Job["kind"];
  readonly dialect?: Job["dialect"];
}

/** A waiting job with a fresh key. */
export async function newJob(tx: StoreTransaction, wishes: JobWishes = {}): Promise<Job> {
  const seq = await tx.nextSeq();
  const specification = {
    seq,
    id: wishes.id ?? `0190-${String(seq).padStart(12, "0")}-e1`,
    endpointId: wishes.endpointId ?? "hello",
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

export async function insertNew(tx: StoreTransaction, wishes?: JobWishes): Promise<Job> {
  const job = await newJob(tx, wishes);
  await tx.insertJob(job);
  return job;
}

/** `job` after the event, which must change it. */
export function after(job: Job, event: JobEvent, now = NOW): Job {
  const result = transition(job, event, now);
  if (result.result !== "changed") throw new Error(`${event.type}: ${JSON.stringify(result)}`);
  return result.job;
}

export function handedOver(job: Job, workerId = "worker-1", now = NOW): Job {
  const leaseToken = `lease-${job.seq}-${job.attempt + 1}`;
  return after(job, { type: "hand-over", workerId, leaseToken, leaseMs: 15_000 }, now);
}

export function completed(job: Job, now = NOW): Job {
  return after(job, { type: "complete", leaseToken: job.lease?.token ?? "" }, now);
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

export async function bytesAt(
  view: StoreView,
  seq: number,
  slot: PayloadSlot,
): Promise<Uint8Array | undefined> {
  const payload = await view.payload(seq, slot);
  return payload?.bytes();
}

export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

/** `sizeBytes` bytes in which a swapped or missing block shows. */
export function pattern(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 1)
    bytes[index] = (index * 31 + (index >> 8) + seed) & 255;
  return bytes;
}
