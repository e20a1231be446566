/** Contract of the store: jobs that match a filter, with a bounded number examined at a time. */
import { expect, it } from "vitest";
import type { JobFilter } from "../../../emulator/core/jobs/job-filter.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { StoreReads } from "../../../emulator/store/store.ts";
import { everyMatch } from "./every-match.ts";
import {
  afterEvent,
  completed,
  deleted,
  handedOver,
  NOW,
  type OpenSubject,
  Owner,
} from "./subject.ts";

const AMPLE = { limit: 1_000, maxLooked: 1_000 };

/** Six jobs of two endpoints, submitted a second apart, in all kinds of states. */
async function sixJobs(owner: Owner): Promise<readonly Job[]> {
  const wishes = [
    { kind: "sync", id: "sync-0190-AA" } as const,
    { endpointId: "another", id: "0190-aab" },
    {},
    { endpointId: "another" },
    {},
    { endpointId: "another" },
  ];
  const jobs = await owner.insertMany(
    ...wishes.map((wish, at) => ({ ...wish, at: NOW + at * 1_000 })),
  );
  const [a, b, c] = jobs;
  if (!a || !b || !c) throw new Error("six jobs were made");
  const running = await owner.replace(a, handedOver(a, "worker-1", NOW + 700));
  await owner.replace(running, completed(running, NOW + 1_000));
  const failing = await owner.replace(b, handedOver(b, "worker-1", NOW + 1_200));
  const failure = { type: "process_exited", message: "Out of MEMORY, it says" } as const;
  const leaseToken = failing.lease?.token ?? "";
  const ended = { type: "fail", leaseToken, failure, nextQueueKey: owner.nextSeq() } as const;
  const retryRules = { workerLost: 0, handlerError: 0 };
  await owner.replace(failing, afterEvent(failing, { ...ended, retryRules }, NOW + 5_000));
  await owner.replace(c, handedOver(c, "worker-2", NOW + 2_500));
  return jobs;
}

async function found(store: StoreReads, filter: JobFilter, bounds = AMPLE) {
  const { jobs, count, questions } = await everyMatch(store, filter, bounds);
  expect(count).toBe(jobs.length);
  return { seqs: jobs.map(({ seq }) => seq), questions };
}

export function jobSearchContract(open: OpenSubject): void {
  it.each<[string, JobFilter, readonly number[]]>([
    ["no filter", {}, [5, 4, 3, 2, 1, 0]],
    ["an endpoint", { endpointId: "another" }, [5, 3, 1]],
    ["an unknown endpoint", { endpointId: "unknown" }, []],
    ["a status", { statuses: ["FAILED"] }, [1]],
    ["a status that is named twice", { statuses: ["FAILED", "FAILED"] }, [1]],
    ["two statuses of all endpoints", { statuses: ["COMPLETED", "IN_QUEUE"] }, [5, 4, 3, 0]],
    [
      "two statuses of one endpoint",
      { endpointId: "another", statuses: ["FAILED", "IN_QUEUE"] },
      [5, 3, 1],
    ],
    ["a kind", { kind: "sync" }, [0]],
    ["since a moment, which counts", { since: NOW + 4_000 }, [5, 4]],
    ["until a moment, which does not", { until: NOW + 2_000 }, [1, 0]],
    ["between moments", { since: NOW + 1_500, until: NOW + 3_001 }, [3, 2]],
    ["since later than all", { since: NOW + 9_000 }, []],
    ["until before all", { until: NOW }, []],
    ["a delay", { minDelayMs: 500 }, [2, 0]],
    ["an execution time", { minExecutionMs: 3_800 }, [1]],
    ["the beginning of an id", { search: "0190-aa" }, [1, 0]],
    ["the whole beginning of an id", { search: "sync-" }, [0]],
    ["the end of an id, as the log has it", { search: "…aab" }, [1]],
    ["a part of a failure's message", { search: "out of memory" }, [1]],
    ["a part of a failure's type", { search: "s_exit" }, [1]],
    ["a text that nothing has", { search: "nothing has this" }, []],
    ["everything at once", { endpointId: "another", statuses: ["FAILED"], search: "memory" }, [1]],
  ])("a search finds and counts jobs by %s, newest first", async (_what, filter, expected) => {
    await using subject = await open();
    const jobs = await sixJobs(await Owner.of(subject.store));
    const seqs = expected.map((at) => jobs[at]?.seq);
    for (const bounds of [AMPLE, { limit: 1, maxLooked: 9 }, { limit: 2, maxLooked: 2 }])
      expect((await found(subject.store, filter, bounds)).seqs).toEqual(seqs);
  });

  it("a search returns jobs as stored", async () => {
    await using subject = await open();
    const [job] = await sixJobs(await Owner.of(subject.store));
    const { jobs } = await subject.store.findJobs({ filter: { kind: "sync" }, ...AMPLE });
    expect(jobs).toStrictEqual([await subject.store.job(job?.id ?? "")]);
  });

  it("a search examines at most the allowed number of jobs per call, and returns where to continue", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const wishes = Array.from({ length: 50 }, (_, at) => ({ at: NOW + at, id: `0190-${at}` }));
    await owner.insertMany(...wishes);
    const bounds = { limit: 9, maxLooked: 10 };
    const { seqs, questions } = await found(subject.store, { search: "0190-0" }, bounds);
    expect(seqs).toEqual([1]);
    expect(questions).toBeGreaterThanOrEqual(5);
  });

  it("a search finds jobs with long failures, however few it examines at a time", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const message = `${"x".repeat(1_500_000)} at last`;
    const failure = { type: "handler_error", message } as const;
    const jobs = await owner.insertMany({}, {}, {}, {});
    await owner.flush(
      jobs.map((before) => ({ before, after: { ...before, status: "FAILED", failure } as const })),
    );
    const { seqs } = await found(subject.store, { search: "at last" });
    expect(seqs).toEqual(jobs.map(({ seq }) => seq).toReversed());
  });

  it("a search continues below the last examined job, whichever jobs were added or deleted", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const [a, b, c] = await owner.insertMany({}, {}, {});
    if (!a || !b || !c) throw new Error("three jobs were made");
    const first = await subject.store.findJobs({ filter: {}, limit: 1, maxLooked: 9 });
    expect(first.nextSeq).toBe(c.seq);
    await owner.change(deleted(c));
    await owner.insert();
    const window = { filter: {}, limit: 9, maxLooked: 9, beforeSeq: first.nextSeq };
    expect(await subject.store.findJobs(window)).toStrictEqual({
      jobs: [b, a],
      nextSeq: undefined,
    });
  });
}
