/** Answers of a naive store about the stored jobs. */
import assert from "node:assert/strict";
import { dueAt } from "../../../emulator/core/jobs/job-due.ts";
import { countChange, NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { everyMatch } from "./every-match.ts";
import { ENDPOINTS, type RandomBatches } from "./random-batches.ts";

const LIMIT = 100_000;

/** @throws AssertionError if orders and counters of the store differ from a recount */
export async function compareWithRecount(store: Store, known: RandomBatches): Promise<void> {
  const jobs = [...known.jobs.values()].toSorted((a, b) => a.seq - b.seq);
  const { counts, running } = await store.boot();
  assert.deepStrictEqual(running, jobs.filter(isRunning));
  const { jobs: found } = await everyMatch(store, {}, { limit: LIMIT, maxLooked: LIMIT });
  assert.deepStrictEqual(found, jobs.toReversed());
  const due = jobs.filter((job) => !isRunning(job) && dueAt(job) <= known.now + 50_000);
  due.sort((a, b) => dueAt(a) - dueAt(b) || a.seq - b.seq);
  assert.deepStrictEqual(await store.dueJobs(known.now + 50_000, LIMIT), due);
  for (const endpointId of ENDPOINTS) {
    const own = jobs.filter((job) => job.endpointId === endpointId);
    assert.deepStrictEqual(await store.jobsOf(endpointId, 0, LIMIT), own);
    assert.deepStrictEqual(await store.listJobs(endpointId, { limit: LIMIT }), own.toReversed());
    for (const status of JOB_STATUSES) {
      const newest = own.filter((job) => job.status === status).toReversed();
      const listed = await store.listJobs(endpointId, { status, limit: LIMIT });
      assert.deepStrictEqual(listed, newest);
    }
    const waiting = own.filter(({ status }) => status === "IN_QUEUE");
    const queue = waiting.toSorted((a, b) => a.queueKey - b.queueKey);
    assert.deepStrictEqual(await store.waitingJobs(endpointId, 0, LIMIT), queue);
    const scaling = waiting.filter(({ lowPriority }) => !lowPriority);
    const oldest =
      scaling.length === 0 ? undefined : Math.min(...scaling.map((job) => job.queuedAt));
    assert.equal(await store.oldestScalingQueuedAt(endpointId), oldest);
    const recount = own.reduce((sum, job) => countChange(sum, undefined, job), NO_COUNTS);
    const kept = counts.get(endpointId) ?? NO_COUNTS;
    const { completed, failed, retried } = kept;
    assert.deepStrictEqual(kept, { ...recount, completed, failed, retried });
  }
}

function isRunning({ status }: Job): boolean {
  return status === "IN_PROGRESS";
}
