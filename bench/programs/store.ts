/** Works on a data directory through the store alone: fills a queue, and times whole job cycles. */
import { z } from "zod";
import { submitJob, transition } from "../../emulator/core/jobs/job-transition.ts";
import type { JobEvent } from "../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../emulator/core/jobs/job.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import type { Payload, Store, StoreTransaction } from "../../emulator/store/store.ts";
import { answerQuestions } from "../asking.ts";
import { jobInput } from "../payload.ts";

const DAY_MS = 86_400_000;
const FILL_STEP_JOBS = 1000;

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), directory: z.string() }),
  z.object({ kind: z.literal("fill"), endpointId: z.string(), jobs: z.number() }),
  z.object({ kind: z.literal("crowd"), endpoints: z.number(), jobsEach: z.number() }),
  z.object({
    kind: z.literal("cycle"),
    endpointId: z.string(),
    jobs: z.number(),
    perCommit: z.number(),
  }),
  z.object({ kind: z.literal("close") }),
]);

const payload: Payload = { kind: "inline", bytes: Buffer.from(JSON.stringify(jobInput)) };
let opened: Store | undefined;

function store(): Store {
  if (opened === undefined) throw new Error("No store is open.");
  return opened;
}

/** Of low priority, so that a queue of any length makes the scaler add no workers. */
async function insert(tx: StoreTransaction, endpointId: string): Promise<void> {
  const seq = await tx.nextSeq();
  const specification = {
    seq,
    id: `bench-${String(seq).padStart(12, "0")}-${crypto.randomUUID()}`,
    endpointId,
    kind: "async",
    executionTimeoutMs: 600_000,
    ttlMs: DAY_MS,
    retentionMs: 1_800_000,
    lowPriority: true,
    webhook: undefined,
  } as const;
  await tx.insertJob(submitJob(specification, Date.now()));
  await tx.putPayload(seq, "input", payload);
}

function after(job: Job, event: JobEvent): Job {
  const next = transition(job, event, Date.now());
  if (next.result !== "changed") throw new Error(`${event.type} did not change the job.`);
  return next.job;
}

async function fill(endpointId: string, jobs: number): Promise<void> {
  for (let done = 0; done < jobs; done += FILL_STEP_JOBS) {
    const count = Math.min(FILL_STEP_JOBS, jobs - done);
    await store().transact(async (tx) => {
      for (let index = 0; index < count; index += 1) await insert(tx, endpointId);
    });
  }
}

/** So many endpoints that can have no workers, each with waiting jobs. */
async function crowd(endpoints: number, jobsEach: number): Promise<void> {
  const createdAt = new Date().toISOString();
  const local = { id: "crowd", path: "/nowhere", settings: { workersMin: 0, workersMax: 0 } };
  const endpoint = localEndpoint(local, createdAt);
  await store().transact((tx) => tx.putRecord("template", "crowd", localTemplate(local)));
  const perStep = Math.ceil(FILL_STEP_JOBS / jobsEach);
  for (let done = 0; done < endpoints; done += perStep) {
    await store().transact(async (tx) => {
      for (let number = done; number < Math.min(endpoints, done + perStep); number += 1) {
        const id = `crowd-${number}`;
        await tx.putRecord("endpoint", id, { ...endpoint, id, name: id });
        for (let job = 0; job < jobsEach; job += 1) await insert(tx, id);
      }
    });
  }
}

/** Inserts so many jobs, takes the oldest of the queue, finishes those; three commits for all of them together. */
async function cycle(endpointId: string, count: number): Promise<void> {
  const each = Array.from({ length: count }, (_, index) => index);
  await Promise.all(each.map(() => store().transact((tx) => insert(tx, endpointId))));
  const taken = await store().transact((tx) => take(tx, endpointId, count));
  await Promise.all(taken.map((job) => store().transact((tx) => finish(tx, job))));
}

async function take(tx: StoreTransaction, endpointId: string, count: number): Promise<Job[]> {
  const taken: Job[] = [];
  for (const job of await tx.waitingJobs(endpointId, count)) {
    const leaseToken = crypto.randomUUID();
    const lease = { workerId: "bench-worker", leaseToken, leaseMs: DAY_MS };
    const running = after(job, { type: "hand-over", ...lease });
    await tx.replaceJob(job, running);
    taken.push(running);
  }
  return taken;
}

async function finish(tx: StoreTransaction, { id }: Job): Promise<void> {
  const job = await tx.job(id);
  if (job?.lease === undefined) throw new Error(`Job ${id} is not running.`);
  await tx.replaceJob(job, after(job, { type: "complete", leaseToken: job.lease.token }));
  await tx.putPayload(job.seq, "output", payload);
}

async function cyclesMs(endpointId: string, jobs: number, perCommit: number): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < jobs; done += perCommit) {
    await cycle(endpointId, perCommit);
  }
  return performance.now() - startedAt;
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  switch (question.kind) {
    case "open":
      opened = await openSqliteStore({ directory: question.directory });
      return null;
    case "fill":
      await fill(question.endpointId, question.jobs);
      return null;
    case "crowd":
      await crowd(question.endpoints, question.jobsEach);
      return null;
    case "cycle":
      return cyclesMs(question.endpointId, question.jobs, question.perCommit);
    case "close":
      await opened?.close();
      opened = undefined;
      return null;
  }
});
