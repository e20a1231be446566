/** Invariants of the service's state at any moment, whatever happened before. */
import assert from "node:assert/strict";
import { dueAt } from "../../emulator/core/jobs/job-due.ts";
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import type { Snapshot } from "./subject.ts";

export function checkInvariants({ now, jobs, endpoints, nextDueAt }: Snapshot, when: string): void {
  for (const { job, input, output, chunks } of jobs) {
    assert(input !== undefined, when);
    assert.equal(chunks.length, job.chunkCount, when);
    assert(job.chunksRead <= job.chunkCount, when);
    assert(job.lease !== undefined || job.status !== "IN_PROGRESS", when);
    if (job.status === "IN_QUEUE")
      assert.deepEqual([job.lease, output, job.chunkCount], [undefined, undefined, 0], when);
    if (job.status === "FAILED" || job.status === "TIMED_OUT")
      assert(job.failure !== undefined, when);
    if (isTerminal(job.status)) assert(job.endedAt !== undefined, when);
    assert.notEqual(output, '"stale"', when);
    assert(dueAt(job) > now, when);
  }
  const due = jobs.map(({ job }) => dueAt(job));
  assert.equal(nextDueAt, Math.min(...due), when);
  for (const { id, counts } of endpoints) {
    const count = (status: string) =>
      jobs.filter(({ job }) => job.endpointId === id && job.status === status).length;
    const counted = [count("IN_QUEUE"), count("IN_PROGRESS")];
    assert.deepEqual([counts.inQueue, counts.inProgress], counted, when);
  }
}
