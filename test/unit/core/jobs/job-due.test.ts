/** Effects of time on a job: TTL, retention, executionTimeout with its grace, and leases. */
import { describe, expect, it } from "vitest";
import { dueAt, dueEvent, retentionMs } from "../../../../emulator/core/jobs/job-due.ts";
import { transition } from "../../../../emulator/core/jobs/job-transition.ts";
import { DEFAULT_RETRY_RULES, type Job } from "../../../../emulator/core/jobs/job.ts";
import { after, jobIn, queuedJob, SAMPLE_EVENTS, T0 } from "./sample-job.ts";

const HOUR_MS = 3_600_000;
const dueTypeAt = (job: Parameters<typeof dueEvent>[0], now: number) =>
  dueEvent(job, now, DEFAULT_RETRY_RULES)?.type;

describe("the next due event of a job", () => {
  it("is its deletion at the end of the time to live, even if it waits or runs", () => {
    expect(dueAt(queuedJob())).toBe(T0 + 24 * HOUR_MS);
    expect(dueTypeAt(queuedJob(), T0 + 24 * HOUR_MS - 1)).toBeUndefined();
    expect(dueTypeAt(queuedJob(), T0 + 24 * HOUR_MS)).toBe("expire");
    expect(dueTypeAt(jobIn("IN_PROGRESS"), T0 + 24 * HOUR_MS)).toBe("expire");
  });

  it("is the loss of its worker 15 s after the last renewal of the lease", () => {
    const job = jobIn("IN_PROGRESS");
    expect(dueAt(job)).toBe(T0 + 1_000 + 15_000);
    expect(dueTypeAt(job, dueAt(job))).toBe("lose-worker");
    const renewed = after(queuedJob(), SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS.renew);
    expect(dueAt(renewed)).toBe(T0 + 2_000 + 15_000);
  });

  it("is its timeout 5 s after the end of executionTimeout, if the worker did not report it", () => {
    const job = after(queuedJob({ executionTimeoutMs: 5_000 }), SAMPLE_EVENTS["hand-over"]);
    expect(dueAt(job)).toBe(T0 + 1_000 + 10_000);
    expect(dueTypeAt(job, T0 + 1_000 + 9_999)).toBeUndefined();
    expect(dueEvent(job, T0 + 11_000, DEFAULT_RETRY_RULES)).toMatchObject({
      type: "overrun",
      failure: { type: "execution_timeout" },
    });
  });

  it("is no timeout while a debugger holds it, and is later by the pauses afterwards", () => {
    const pause = SAMPLE_EVENTS["report-pause"];
    const handed = after(queuedJob({ executionTimeoutMs: 5_000 }), SAMPLE_EVENTS["hand-over"]);
    const job: Job = { ...handed, lease: handed.lease && { ...handed.lease, expiresAt: Infinity } };
    const apply = (event: Partial<typeof pause>, now: number): Job => {
      const moved = transition(job, { ...pause, ...event }, now);
      if (moved.result !== "changed") throw new Error(moved.result);
      return moved.job;
    };
    expect(dueAt(apply({ isPaused: true }, T0 + 2_000))).toBe(job.ttlAt);
    const later = apply({ isPaused: false, pausedMs: 3_000 }, T0 + 9_000);
    expect(dueAt(later)).toBe(T0 + 1_000 + 13_000);
    expect(dueTypeAt(later, T0 + 1_000 + 13_000)).toBe("overrun");
    // No worker can claim more than has passed.
    const claimed = apply({ isPaused: false, pausedMs: 9e12 }, T0 + 3_000);
    expect(dueAt(claimed)).toBe(T0 + 1_000 + 2_000 + 10_000);
  });

  it("is its deletion at the end of the retention or of the time to live, whichever is sooner", () => {
    const completed = jobIn("COMPLETED");
    expect(dueAt(completed)).toBe(T0 + 2_000 + 1_800_000);
    const shortLived = after(
      queuedJob({ ttlMs: 10_000 }),
      SAMPLE_EVENTS["hand-over"],
      SAMPLE_EVENTS.complete,
    );
    expect(dueAt(shortLived)).toBe(T0 + 10_000);
  });

  it("is its deletion at the pinned time, sooner or later than by TTL and retention", () => {
    const pinned = after(jobIn("COMPLETED"), { type: "set-ttl", ttlMs: 100 * HOUR_MS });
    expect(dueAt(pinned)).toBe(T0 + 1_000 + 100 * HOUR_MS);
    expect(dueAt(after(queuedJob(), SAMPLE_EVENTS["set-ttl"]))).toBe(T0 + 1_000 + 6_000);
  });
});

describe("retention", () => {
  it("is 30 minutes for an async job with any wait", () => {
    expect(retentionMs("async")).toBe(1_800_000);
    expect(retentionMs("async", 300_000)).toBe(1_800_000);
  });

  it("is one minute for a sync job, or its longer wait, and five minutes at most", () => {
    expect(retentionMs("sync")).toBe(60_000);
    expect(retentionMs("sync", 1_000)).toBe(60_000);
    expect(retentionMs("sync", 120_000)).toBe(120_000);
    expect(retentionMs("sync", 900_000)).toBe(300_000);
  });
});
