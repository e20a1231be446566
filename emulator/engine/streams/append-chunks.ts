/** Stores what a running job streams: chunks and progress values. */
import type { LeaseRef } from "../../../runtime/protocol/outcome.ts";
import type { ChunkReceipt } from "../../../runtime/protocol/session.ts";
import type { Step } from "../steps/step.ts";
import { apply } from "../steps/apply.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { StagedChunks, StagedProgress } from "../jobs/staged-report.ts";

/** Stores chunks in order; the receipts tell how far each job's chunks are stored. */
export function storeChunks(
  engine: TimePort & WakePort,
  step: Step,
  staged: readonly StagedChunks[],
): ChunkReceipt[] {
  const receipts: ChunkReceipt[] = [];
  for (const [leaseToken, batches] of Map.groupBy(staged, ({ report }) => report.leaseToken)) {
    const jobId = batches[0]?.report.jobId;
    if (jobId === undefined) continue;
    const nextIndex = storeChunksOf(engine, step, { jobId, leaseToken }, batches);
    if (nextIndex !== undefined) receipts.push({ jobId, leaseToken, nextIndex });
  }
  return receipts;
}

/** Stores the next batches of one lease. Returns the index of the next chunk, or undefined for a lease that is not held. */
function storeChunksOf(
  engine: TimePort & WakePort,
  step: Step,
  lease: LeaseRef,
  batches: readonly StagedChunks[],
): number | undefined {
  const job = step.job(lease.jobId);
  if (!job || job.lease?.token !== lease.leaseToken) return undefined;
  let nextIndex = job.chunkCount;
  const fresh = batches.filter(({ report: { firstIndex, count } }) => {
    if (firstIndex !== nextIndex) return false;
    nextIndex += count;
    return true;
  });
  if (fresh.length === 0) return job.chunkCount;
  const event = {
    type: "append-chunks",
    leaseToken: lease.leaseToken,
    firstIndex: job.chunkCount,
    count: nextIndex - job.chunkCount,
  } as const;
  const appended = apply(step, job, event, engine.clock.now());
  if (appended.result !== "changed") return undefined;
  for (const { report, lines } of fresh) {
    const { firstIndex, count } = report;
    step.appendChunks(job, { firstIndex, count, lines });
  }
  const reports = fresh.map(({ report }) => report);
  const change = { type: "chunks", job: appended.job, batches: reports } as const;
  if (!engine.earlyChunks.show(step, change)) step.effects.add({ type: "news", change });
  return nextIndex;
}

/** Stores the newest progress value in the place of the output. The value is deleted if the job ends without an output. */
export function storeProgress(
  engine: TimePort & WakePort,
  step: Step,
  { progress, value }: StagedProgress,
): void {
  const job = step.job(progress.jobId);
  if (!job) return;
  const event = { type: "report-progress", leaseToken: progress.leaseToken } as const;
  const reported = apply(step, job, event, engine.clock.now());
  if (reported.result === "changed") step.putPayload(job, "output", value);
}
