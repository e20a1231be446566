/** Works on a data directory or a database through the store alone: fills a queue, and times whole job cycles. */
import { z } from "zod";
import { createSystemClock } from "../../emulator/assembly/system-clock.ts";
import { countChange, type JobCounts, NO_COUNTS } from "../../emulator/core/jobs/job-counts.ts";
import { submitJob, transition } from "../../emulator/core/jobs/job-transition.ts";
import type { JobEvent } from "../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../emulator/core/jobs/job.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import type { Change, JobRow } from "../../emulator/store/batch.ts";
import type { Store, Boot } from "../../emulator/store/store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import type { Payload, PayloadSlot } from "../../emulator/store/payload.ts";
import { answerQuestions } from "../asking.ts";
import { jobInput } from "../payload.ts";

const DAY_MS = 86_400_000;
const FILL_STEP_JOBS = 1000;

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), directory: z.string() }),
  z.object({ kind: z.literal("open-database"), url: z.string() }),
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

/** Writes to the store: numbers batches, assigns keys and counts jobs. */
class Owner {
  readonly store: Store;
  readonly #counts: Map<string, JobCounts>;
  #number: number;
  #lastSeq: number;

  constructor(store: Store, { batch, lastSeq, counts }: Boot) {
    this.store = store;
    this.#number = batch;
    this.#lastSeq = lastSeq;
    this.#counts = new Map(counts);
  }

  /** Low priority: the scaler adds no workers, however long the queue is. */
  newJob(endpointId: string): Job {
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
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
    return submitJob(specification, Date.now());
  }

  async insert(endpointIds: readonly string[], changes: readonly Change[] = []): Promise<void> {
    const jobs = endpointIds.map((endpointId) => this.newJob(endpointId));
    const rows = jobs.map((job) => ({ before: undefined, after: job }));
    await this.flush(rows, [...changes, ...jobs.map((job) => put(job, "input"))]);
  }

  async flush(jobs: readonly JobRow[], changes: readonly Change[] = []): Promise<void> {
    const counts = new Map<string, JobCounts>();
    for (const { before, after: job } of jobs) {
      const known = counts.get(job.endpointId) ?? this.#counts.get(job.endpointId) ?? NO_COUNTS;
      counts.set(job.endpointId, countChange(known, before, job));
    }
    this.#number += 1;
    await this.store.flush({
      number: this.#number,
      lastSeq: this.#lastSeq,
      jobs,
      changes,
      counts,
    });
    for (const [endpointId, ofEndpoint] of counts) this.#counts.set(endpointId, ofEndpoint);
  }
}

let opened: Owner | undefined;

function owner(): Owner {
  if (opened === undefined) throw new Error("No store is open.");
  return opened;
}

function put({ seq, endpointId }: Job, slot: PayloadSlot): Change {
  return { type: "put-payload", seq, endpointId, slot, payload };
}

function after(job: Job, event: JobEvent): Job {
  const next = transition(job, event, Date.now());
  if (next.result !== "changed") throw new Error(`${event.type} did not change the job.`);
  return next.job;
}

async function fill(endpointId: string, jobs: number): Promise<void> {
  for (let done = 0; done < jobs; done += FILL_STEP_JOBS) {
    const count = Math.min(FILL_STEP_JOBS, jobs - done);
    await owner().insert(Array.from({ length: count }, () => endpointId));
  }
}

/** Adds this number of endpoints without workers, each with waiting jobs. */
async function crowd(endpoints: number, jobsEach: number): Promise<void> {
  const createdAt = new Date().toISOString();
  const local = { id: "crowd", path: "/nowhere", settings: { workersMin: 0, workersMax: 0 } };
  const endpoint = localEndpoint(local, createdAt);
  const record = localTemplate(local);
  await owner().flush([], [{ type: "put-record", kind: "template", id: "crowd", record }]);
  const perStep = Math.ceil(FILL_STEP_JOBS / jobsEach);
  for (let done = 0; done < endpoints; done += perStep) {
    const count = Math.min(perStep, endpoints - done);
    const ids = Array.from({ length: count }, (_, index) => `crowd-${done + index}`);
    const records = ids.map((id): Change => {
      return { type: "put-record", kind: "endpoint", id, record: { ...endpoint, id, name: id } };
    });
    const jobs = ids.flatMap((id) => Array.from({ length: jobsEach }, () => id));
    await owner().insert(jobs, records);
  }
}

/** Inserts this number of jobs, hands over as many of the oldest ones, and finishes them: three batches in all. */
async function cycle(endpointId: string, count: number): Promise<void> {
  await owner().insert(Array.from({ length: count }, () => endpointId));
  const waiting = await owner().store.waitingJobs(endpointId, 0, count);
  const taken = waiting.map((before) => ({ before, after: handedOver(before) }));
  await owner().flush(taken);
  const ended = taken.map(({ after: job }) => ({ before: job, after: completed(job) }));
  await owner().flush(
    ended,
    ended.map(({ before }) => put(before, "output")),
  );
}

function handedOver(job: Job): Job {
  const leaseToken = crypto.randomUUID();
  return after(job, { type: "hand-over", workerId: "bench-worker", leaseToken, leaseMs: DAY_MS });
}

function completed(job: Job): Job {
  if (job.lease === undefined) throw new Error(`Job ${job.id} is not running.`);
  return after(job, { type: "complete", leaseToken: job.lease.token });
}

async function cyclesMs(endpointId: string, jobs: number, perCommit: number): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < jobs; done += perCommit) {
    await cycle(endpointId, perCommit);
  }
  return performance.now() - startedAt;
}

async function ownerOf(store: Store): Promise<Owner> {
  return new Owner(store, await store.boot());
}

async function openDatabase(url: string): Promise<Store> {
  const { openPostgresStore } = await import("../../emulator/store/postgres/postgres-store.ts");
  return openPostgresStore({ url, replica: `bench ${process.pid}`, clock: createSystemClock() });
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  switch (question.kind) {
    case "open":
      opened = await ownerOf(await openSqliteStore({ directory: question.directory }));
      return null;
    case "open-database":
      opened = await ownerOf(await openDatabase(question.url));
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
      await opened?.store.close();
      opened = undefined;
      return null;
  }
});
