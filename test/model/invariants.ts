/** What must hold of the service's state at any moment, whatever happened before. */
import { expect } from "vitest";
import { dueAt } from "../../emulator/core/jobs/job-due.ts";
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import type { Snapshot } from "./subject.ts";

export function checkInvariants({ now, jobs, endpoints, nextDueAt }: Snapshot, when: string): void {
  for (const { job, input, output, chunks } of jobs) {
    expect(input, when).toBeDefined();
    expect(chunks.length, when).toBe(job.chunkCount);
    expect(job.chunksRead, when).toBeLessThanOrEqual(job.chunkCount);
    expect(job.lease !== undefined || job.status !== "IN_PROGRESS", when).toBe(true);
    if (job.status === "IN_QUEUE")
      expect([job.lease, output, job.chunkCount], when).toEqual([undefined, undefined, 0]);
    if (job.status === "FAILED" || job.status === "TIMED_OUT")
      expect(job.failure, when).toBeDefined();
    if (isTerminal(job.status)) expect(job.endedAt, when).toBeDefined();
    expect(output, when).not.toBe('"stale"');
    expect(dueAt(job), when).toBeGreaterThan(now);
  }
  const due = jobs.map(({ job }) => dueAt(job));
  expect(nextDueAt, when).toBe(due.length === 0 ? undefined : Math.min(...due));
  for (const { id, counts } of endpoints) {
    const count = (status: string) =>
      jobs.filter(({ job }) => job.endpointId === id && job.status === status).length;
    expect([counts.inQueue, counts.inProgress], when).toEqual([
      count("IN_QUEUE"),
      count("IN_PROGRESS"),
    ]);
  }
}
