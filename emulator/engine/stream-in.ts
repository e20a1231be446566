/** Takes in what a running job streams: chunks and progress values. */
import type { LeaseRef } from "../../runtime/protocol/outcome.ts";
import type { ChunkReceipt } from "../../runtime/protocol/session.ts";
import type { StoreTransaction } from "../store/store.ts";
import type { Aftermath } from "./aftermath.ts";
import { apply } from "./apply.ts";
import type { EngineContext } from "./context.ts";
import type { StagedChunk, StagedProgress } from "./staged-report.ts";

/** Stores chunks in order; the receipts say up to where each job's chunks are stored. */
export async function storeChunks(
  engine: EngineContext,
  tx: StoreTransaction,
  after: Aftermath,
  staged: readonly StagedChunk[],
): Promise<ChunkReceipt[]> {
  const receipts: ChunkReceipt[] = [];
  for (const [leaseToken, chunks] of Map.groupBy(staged, ({ chunk }) => chunk.leaseToken)) {
    const jobId = chunks[0]?.chunk.jobId;
    if (jobId === undefined) continue;
    const nextIndex = await storeChunksOf(engine, tx, after, { jobId, leaseToken }, chunks);
    if (nextIndex !== undefined) receipts.push({ jobId, leaseToken, nextIndex });
  }
  return receipts;
}

/** Stores those chunks of one lease that come next; the index of the next one wanted, or undefined for a lease not held. */
async function storeChunksOf(
  engine: EngineContext,
  tx: StoreTransaction,
  after: Aftermath,
  lease: LeaseRef,
  chunks: readonly StagedChunk[],
): Promise<number | undefined> {
  const job = await tx.job(lease.jobId);
  if (!job || job.lease?.token !== lease.leaseToken) return undefined;
  const fresh = chunks.filter(({ chunk }) => chunk.index >= job.chunkCount);
  const inOrder = fresh.every(({ chunk }, position) => chunk.index === job.chunkCount + position);
  if (fresh.length === 0 || !inOrder) return job.chunkCount;
  const event = {
    type: "append-chunks",
    leaseToken: lease.leaseToken,
    firstIndex: job.chunkCount,
    count: fresh.length,
  } as const;
  const appended = await apply(tx, after, job, event, engine.clock.now());
  if (appended.result !== "changed") return undefined;
  await tx.appendChunks(
    job.seq,
    job.chunkCount,
    fresh.map(({ body }) => body),
  );
  return appended.job.chunkCount;
}

/** Keeps the newest progress value where the output will be; void once the job ends without it. */
export async function storeProgress(
  engine: EngineContext,
  tx: StoreTransaction,
  after: Aftermath,
  { progress, value }: StagedProgress,
): Promise<void> {
  const job = await tx.job(progress.jobId);
  if (!job) return;
  const event = { type: "report-progress", leaseToken: progress.leaseToken } as const;
  const reported = await apply(tx, after, job, event, engine.clock.now());
  if (reported.result === "changed") await tx.putPayload(job.seq, "output", value);
}
