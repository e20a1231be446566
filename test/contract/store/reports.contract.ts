/** Contract of the store: reports about deleted failed jobs, and their retention. */
import { expect, it } from "vitest";
import { type JobReport, reportOf } from "../../../emulator/core/jobs/job-report.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Change } from "../../../emulator/store/batch.ts";
import { afterEvent, deleted, handedOver, NOW, type OpenSubject, Owner } from "./subject.ts";

const KEPT = { deletedAfter: 0, maxCount: 1_000, maxBytes: 1_000_000 };

const pruned = (kept: Partial<typeof KEPT>): Change => ({
  type: "prune-reports",
  kept: { ...KEPT, ...kept },
});
const ids = (reports: readonly JobReport[]) => reports.map(({ job }) => job.id);

function failed(job: Job, message = 'no "ü"'): Job {
  const leaseToken = job.lease?.token ?? "";
  const failure = { type: "handler_error", message } as const;
  const retryRules = { workerLost: 0, handlerError: 0 };
  return afterEvent(job, { type: "fail", leaseToken, failure, retryRules, nextQueueKey: 1 });
}

/** A failed job and its deletion in one batch with its report. */
async function deletedJob(owner: Owner, at = NOW, endpointId = "hello"): Promise<JobReport> {
  const job = await owner.insert({ endpointId });
  const running = await owner.replace(job, handedOver(job));
  const ended = await owner.replace(running, failed(running));
  const report = reportOf(ended, at);
  await owner.change(deleted(ended), { type: "put-report", report });
  return report;
}

export function reportsContract(open: OpenSubject): void {
  it("a report comes back equal in every field, and its job is gone", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const report = await deletedJob(owner);
    expect(await subject.store.job(report.job.id)).toBeUndefined();
    expect(await subject.store.reports.byId(report.job.id)).toStrictEqual(report);
    expect(await subject.store.reports.byId("never")).toBeUndefined();
    expect(report.job.failure?.message).toBe('no "ü"');
  });

  it("reports are listed by newest deletion, by endpoint and by the beginning or the end of an id", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { reports } = subject.store;
    const late = await deletedJob(owner, NOW + 2);
    const early = await deletedJob(owner, NOW);
    const other = await deletedJob(owner, NOW + 1, "other");
    expect(ids(await reports.list({}, 9))).toEqual(ids([late, other, early]));
    expect(ids(await reports.list({}, 2))).toEqual(ids([late, other]));
    expect(ids(await reports.list({ endpointId: "hello" }, 9))).toEqual(ids([late, early]));
    const { id } = early.job;
    for (const idPart of [id, id.slice(-8), id.slice(0, -5)])
      expect(ids(await reports.list({ idPart }, 9))).toContain(id);
    expect(await reports.list({ idPart: id.slice(-8) }, 9)).toHaveLength(1);
    expect(await reports.list({ idPart: id.slice(2, 7) }, 9)).toEqual([]);
    expect(await reports.list({ idPart: "%" }, 9)).toEqual([]);
    expect(await reports.oldestDeletedAt()).toBe(NOW);
  });

  it("pruning keeps the newest reports within the limits of count, size and age", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { reports } = subject.store;
    const made: JobReport[] = [];
    for (let count = 0; count < 6; count += 1) made.push(await deletedJob(owner, NOW + count));
    const left = async (kept: Partial<typeof KEPT>) => {
      await owner.change(pruned(kept));
      return ids(await reports.list({}, 9));
    };
    const newest = (count: number) => ids(made.slice(-count).toReversed());
    const each = Buffer.byteLength(JSON.stringify(made[5]?.job));
    expect(await left({})).toEqual(newest(6));
    expect(await left({ maxCount: 5 })).toEqual(newest(5));
    expect(await left({ maxBytes: 4 * each + each / 2 })).toEqual(newest(4));
    expect(await left({ deletedAfter: NOW + 2 })).toEqual(newest(3));
    expect(await left({ deletedAfter: NOW + 3 })).toEqual(newest(2));
    expect(await left({ maxBytes: 1 })).toEqual([]);
    expect(await reports.oldestDeletedAt()).toBeUndefined();
  });

  it("removing one endpoint's reports keeps all others", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const kept = await deletedJob(owner);
    await deletedJob(owner, NOW, "other");
    await owner.change({ type: "remove-reports", endpointId: "other" });
    expect(ids(await subject.store.reports.list({}, 9))).toEqual(ids([kept]));
  });

  it("a refused batch leaves the reports unchanged", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const kept = await deletedJob(owner);
    const report = { ...kept, job: { ...kept.job, id: "another", seq: 1_000 } };
    const refused = owner.change(
      { type: "put-report", report },
      { type: "remove-reports", endpointId: "hello" },
      deleted(owner.newJob()),
    );
    await expect(refused).rejects.toThrow("is not stored");
    expect(await subject.store.reports.list({}, 9)).toStrictEqual([kept]);
  });
}
