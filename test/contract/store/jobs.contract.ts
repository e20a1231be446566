/** Contract of the store: jobs and their orders. */
import { expect, it } from "vitest";
import type { JobListing } from "../../../emulator/core/jobs/job-listing.ts";
import { FIELDS, type Job } from "../../../emulator/core/jobs/job.ts";
import { BatchRefusedError } from "../../../emulator/store/store.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import {
  afterEvent,
  completed,
  deleted,
  finished,
  handedOver,
  inserted,
  NOW,
  type OpenSubject,
  Owner,
} from "./subject.ts";
import { FAILURE, FIXED, fullJob, ODD_IDS } from "./odd-jobs.ts";

const seqs = (jobs: readonly Job[]) => jobs.map(({ seq }) => seq);

export function jobsContract(open: OpenSubject): void {
  it("a job comes back equal in every field, fresh and with every field set", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const fresh = owner.newJob();
    const full = { ...fullJob(owner.newJob()), ...FIXED };
    for (const { name } of FIELDS) expect(full[name], name).not.toEqual(fresh[name]);
    await owner.flush([fresh, full].map(inserted));
    expect(await subject.store.job(fresh.id)).toStrictEqual(fresh);
    expect(await subject.store.job(full.id)).toStrictEqual(full);
  });

  it("a replaced job comes back equal in every changed field, there and back", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const fresh = await owner.insert();
    const full = await owner.replace(fresh, fullJob(fresh));
    expect(await subject.store.job(fresh.id)).toStrictEqual(full);
    await owner.replace(full, fresh);
    expect(await subject.store.job(fresh.id)).toStrictEqual(fresh);
  });

  it.each(FIELDS.filter(({ fixed }) => fixed).map(({ name }) => name))(
    "a batch that changes the %s of a job, which never changes, is refused whole",
    async (name) => {
      await using subject = await open();
      const owner = await Owner.of(subject.store);
      const [job, another] = [await owner.insert(), owner.newJob()];
      const changed = { ...handedOver(job), [name]: { ...another, ...FIXED }[name] };
      await owner.insert({ endpointId: FIXED.endpointId });
      const refused = owner.flush([inserted(another), { before: job, after: changed }]);
      await expect(refused).rejects.toThrow(`the ${name} of job ${job.id} never changes`);
      await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
      expect(await subject.store.waitingJobs("hello", 0, 9)).toEqual([job]);
    },
  );

  it("every status and both kinds are stored", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const jobs = JOB_STATUSES.flatMap((status) =>
      (["async", "sync"] as const).map((kind): Job => ({ ...owner.newJob(), status, kind })),
    );
    await owner.flush(jobs.map(inserted));
    for (const job of jobs) expect(await subject.store.job(job.id)).toStrictEqual(job);
  });

  it("ids and endpoint ids of any characters stay separate and are found again", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    await owner.insertMany(...ODD_IDS.map((id) => ({ id, endpointId: id })));
    for (const id of ODD_IDS) {
      expect(await store.job(id)).toMatchObject({ id, endpointId: id });
      expect((await store.waitingJobs(id, 0, 9)).map((job) => job.id)).toEqual([id]);
    }
  });

  it("a missing or deleted job is undefined", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = await owner.insert();
    await owner.change(deleted(job));
    expect(await subject.store.job(job.id)).toBeUndefined();
    expect(await subject.store.job("never")).toBeUndefined();
  });

  it("waiting jobs of the endpoint after a key are returned by queueKey, up to the requested number", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const jobs = await owner.insertMany({}, {}, {}, {}, {}, {}, { endpointId: "another" });
    const [a, b, c, d, e, f] = jobs;
    if (!a || !b || !c || !d || !e || !f) throw new Error("six jobs were made");
    const last = owner.nextSeq();
    await owner.flush(
      [
        { before: a, after: handedOver(a) },
        { before: b, after: { ...b, queueKey: last } },
      ],
      [deleted(c)],
    );
    const waiting = async (after: number, limit: number, endpointId = "hello") =>
      seqs(await store.waitingJobs(endpointId, after, limit));
    expect(await waiting(0, 9)).toEqual([d.seq, e.seq, f.seq, b.seq]);
    expect(await waiting(Number.NEGATIVE_INFINITY, 2)).toEqual([d.seq, e.seq]);
    expect(await waiting(d.queueKey, 2)).toEqual([e.seq, f.seq]);
    expect(await waiting(f.queueKey, 9)).toEqual([b.seq]);
    expect(await waiting(last, 9)).toEqual([]);
    expect(await waiting(0, 0)).toEqual([]);
    expect(await waiting(0, 9, "unknown")).toEqual([]);
  });

  it("a job that lost its worker is first in the queue again", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const [first, second] = await owner.insertMany({}, {});
    if (!first || !second) throw new Error("two jobs were made");
    const running = await owner.replace(first, handedOver(first));
    const lost = afterEvent(running, {
      type: "lose-worker",
      leaseToken: running.lease?.token ?? "",
      failure: FAILURE,
      retryRules: { workerLost: 1, handlerError: 0 },
    });
    await owner.replace(running, lost);
    expect(await subject.store.waitingJobs("hello", 0, 9)).toEqual([lost, second]);
    expect((await subject.store.boot()).counts.get("hello")?.retried).toBe(1);
  });

  it("a queue of 3,000 is read in pages, each after the last key of the previous one", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const jobs = await owner.insertMany(...Array.from({ length: 3_000 }, () => ({})));
    const read: Job[] = [];
    for (let page = 0; page < 7; page += 1) {
      const after = read.at(-1)?.queueKey ?? 0;
      read.push(...(await subject.store.waitingJobs("hello", after, 499)));
    }
    expect(read).toEqual(jobs);
  });

  it("jobs of an endpoint after a key come by key, whatever their status", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const jobs = await owner.insertMany({}, { endpointId: "another" }, {}, {});
    const [a, , b, c] = jobs;
    if (!a || !b || !c) throw new Error("jobs were made");
    await owner.replace(b, handedOver(b));
    expect(await store.jobsOf("hello", 0, 9)).toEqual([a, handedOver(b), c]);
    expect(await store.jobsOf("hello", 0, 1)).toEqual([a]);
    expect(await store.jobsOf("hello", a.seq, 9)).toEqual([handedOver(b), c]);
    expect(await store.jobsOf("unknown", 0, 9)).toEqual([]);
  });

  it("due jobs are returned earliest first, from their exact due time on; running jobs never are", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const [late, soon, taken] = await owner.insertMany(
      { ttlMs: 30_000 },
      { ttlMs: 20_000 },
      { endpointId: "another", ttlMs: 10_000 },
    );
    if (!late || !soon || !taken) throw new Error("three jobs were made");
    const dueBy = (now: number, limit = 9) => store.dueJobs(now, limit);
    expect(await store.nextDueAt()).toBe(NOW + 10_000);
    const running = await owner.replace(taken, handedOver(taken));
    expect(await store.nextDueAt()).toBe(NOW + 20_000);
    expect(await dueBy(NOW + 19_999)).toEqual([]);
    expect(await dueBy(NOW + 20_000)).toEqual([soon]);
    expect(await dueBy(NOW + 30_000)).toEqual([soon, late]);
    expect(await dueBy(NOW + 30_000, 1)).toEqual([soon]);
    const ended = await owner.replace(running, completed(running));
    expect(await store.nextDueAt()).toBe(NOW + 10_000);
    expect(await dueBy(NOW + 30_000)).toEqual([ended, soon, late]);
    await owner.change(deleted(soon), deleted(ended));
    expect(await store.nextDueAt()).toBe(NOW + 30_000);
  });

  it("no job is due if there are no jobs, or all of them run", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    expect(await store.nextDueAt()).toBeUndefined();
    const job = await owner.insert();
    await owner.replace(job, handedOver(job));
    expect(await store.nextDueAt()).toBeUndefined();
    expect(await store.dueJobs(Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
  });

  it("the oldest job that may cause scaling is not of low priority, running or another endpoint's", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const oldest = () => subject.store.oldestScalingQueuedAt("hello");
    expect(await oldest()).toBeUndefined();
    const jobs = await owner.insertMany(
      { at: NOW - 3, lowPriority: true },
      { at: NOW - 2, endpointId: "another" },
      { at: NOW },
      { at: NOW - 1 },
    );
    expect(await oldest()).toBe(NOW - 1);
    const [, , , first] = jobs;
    if (first) await owner.replace(first, handedOver(first));
    expect(await oldest()).toBe(NOW);
  });

  it("the counters of an endpoint are those of the last batch that had any, and survive its jobs", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = await finished(owner);
    await owner.insert({ lowPriority: true, endpointId: "another" });
    await owner.change(deleted(job));
    const { counts } = await subject.store.boot();
    expect(counts).toEqual(owner.counts);
    expect(counts.get("hello")).toMatchObject({ inQueue: 0, completed: 1 });
    expect(counts.get("another")).toMatchObject({ inQueue: 1, inQueueLowPriority: 1 });
  });

  it("jobs are listed newest first, by status and by page, while others come and go", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const list = (listing: JobListing, endpointId = "hello") =>
      subject.store.listJobs(endpointId, listing);
    const [a, b, , c, d] = await owner.insertMany({}, {}, { endpointId: "another" }, {}, {});
    if (!a || !b || !c || !d) throw new Error("five jobs were made");
    expect(await list({ limit: 9 })).toEqual([d, c, b, a]);
    expect(await list({ limit: 0 })).toEqual([]);
    expect(await list({ limit: 9 }, "unknown")).toEqual([]);
    const running = await owner.replace(c, handedOver(c));
    await owner.replace(b, { ...b, queueKey: owner.nextSeq() });
    expect(await list({ limit: 2 })).toEqual([d, running]);
    await owner.change(deleted(running));
    const [, later] = await owner.insertMany({}, {});
    expect(seqs(await list({ limit: 9, beforeSeq: running.seq }))).toEqual([b.seq, a.seq]);
    expect((await list({ status: "IN_QUEUE", limit: 2 }))[0]).toEqual(later);
    expect(await list({ status: "IN_QUEUE", limit: 1, beforeSeq: b.seq })).toEqual([a]);
    expect(await list({ status: "IN_PROGRESS", limit: 9 })).toEqual([]);
  });
}
