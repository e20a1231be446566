/** The core alone: steps run on memory, batches are stored late or never, and reads arrive late. */
import assert from "node:assert/strict";
import { Journal, undoAll, type Undo } from "../../../../../emulator/core/undo-journal.ts";
import { type JobCounts, NO_COUNTS } from "../../../../../emulator/core/jobs/job-counts.ts";
import { dueEvent } from "../../../../../emulator/core/jobs/job-due.ts";
import type { JobEvent } from "../../../../../emulator/core/jobs/job-event.ts";
import { submitJob } from "../../../../../emulator/core/jobs/job-transition.ts";
import type { Job } from "../../../../../emulator/core/jobs/job.ts";
import { apply } from "../../../../../emulator/engine/steps/apply.ts";
import { JobMemory, MEMORY_LIMITS } from "../../../../../emulator/engine/steps/state/job-memory.ts";
import { RecordBook } from "../../../../../emulator/engine/steps/state/record-book.ts";
import {
  type Contents,
  contentsOf,
  type StepChange,
} from "../../../../../emulator/engine/steps/step-changes.ts";
import { Step } from "../../../../../emulator/engine/steps/step.ts";
import {
  after,
  dueNow,
  isAlike,
  type ModelJob,
  modelOf,
  newJob,
  RULES,
  TIMES,
} from "./job-model.ts";

const ENDPOINT = "hello";
const READ_AHEAD = 3;
const FAILURE = { type: "handler_error", message: "no" } as const;

type Jobs = ReadonlyMap<string, ModelJob>;

interface Sealed {
  readonly number: number;
  readonly contents: Contents;
  readonly undos: readonly Undo[];
  readonly model: Jobs;
  readonly counts: JobCounts;
}

export class CoreWorld {
  /** Service time, ms. */
  now = 1_000_000;
  /** The jobs that the rules expect. */
  model = new Map<string, ModelJob>();
  readonly stored = new Map<string, Job>();
  /** All granted leases, with their jobs. */
  readonly tokens: { readonly token: string; readonly jobId: string }[] = [];
  /** Answered reads that have not reached memory yet. */
  readonly reads: (() => void)[] = [];
  readonly #journal = new Journal();
  /** Limits low enough to be reached. */
  readonly memory = new JobMemory(this.#journal, 0, {
    ...MEMORY_LIMITS,
    windowMax: 4,
    jobsMax: 12,
    fewWaiting: 3,
  });
  readonly #records = new RecordBook(this.#journal);
  /** Number and content of the open batch. */
  #number = 1;
  #changes: StepChange[] = [];
  #flushing: Sealed | undefined;
  #durable: Pick<Sealed, "model" | "counts"> = { model: new Map(), counts: NO_COUNTS };
  #seq = 0;
  #isReadingAhead = false;

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  submit(): void {
    const seq = this.nextSeq();
    const id = `job-${seq}`;
    const { executionTimeoutMs, ttlMs, retentionMs } = TIMES;
    const specification = {
      seq,
      id,
      endpointId: ENDPOINT,
      kind: "async",
      lowPriority: false,
    } as const;
    const times = { executionTimeoutMs, ttlMs, retentionMs };
    const step = this.#step();
    step.insertJob(submitJob({ ...specification, ...times, webhook: undefined }, this.now));
    this.#changes.push(...step.changes);
    this.model.set(id, newJob(id, seq, this.now));
  }

  /** Hands over the first job in memory, which must be the first of all waiting jobs. */
  handOver(): void {
    const { window } = this.memory.endpoint(ENDPOINT);
    const waiting = [...this.model.values()].filter(({ status }) => status === "IN_QUEUE");
    if (this.memory.isShortOfWaiting(ENDPOINT)) this.#readAhead();
    const first = window.jobs[0];
    if (first === undefined) return;
    assert.equal(first.queueKey, Math.min(...waiting.map(({ queueKey }) => queueKey)));
    const token = `lease-${this.nextSeq()}`;
    this.tokens.push({ token, jobId: first.id });
    const { leaseMs } = TIMES;
    this.#apply(first, { type: "hand-over", workerId: "worker", leaseToken: token, leaseMs });
  }

  /** Applies an event to a job. A job that is only in the store is read first. */
  act(id: string, event: JobEvent): void {
    this.#fetched(id, (job) => this.#apply(job, event));
  }

  look(id: string): void {
    this.#fetched(id, () => undefined);
  }

  /** Lets time pass, and applies due events. */
  pass(byMs: number): void {
    this.now += byMs;
    for (const id of [...this.model.keys()]) {
      const due = this.model.get(id);
      if (due !== undefined && dueNow(due, this.now) !== undefined)
        this.#fetched(id, (job) => this.#applyDue(job));
    }
  }

  seal(): void {
    if (this.#flushing !== undefined || this.#changes.length === 0) return;
    const contents = contentsOf([{ changes: this.#changes }], this.#seq, () => this.#counts);
    const state = { model: new Map(this.model), counts: this.#counts };
    this.#flushing = { number: this.#number, contents, undos: this.#journal.undos, ...state };
    this.#journal.undos = [];
    this.#changes = [];
    this.#number += 1;
  }

  flushed(): void {
    if (this.#flushing === undefined) return;
    const { contents, model, number } = this.#flushing;
    for (const { before, after: row } of contents.jobs) {
      assert.deepEqual(this.stored.get(row.id), before);
      this.stored.set(row.id, row);
    }
    for (const change of contents.changes)
      if (change.type === "delete-job") assert(this.stored.delete(change.job.id));
    this.#durable = this.#flushing;
    this.#flushing = undefined;
    this.memory.becameDurable(number);
    assert.equal(this.stored.size, model.size);
    for (const [id, job] of model) {
      const row = this.stored.get(id);
      assert(row !== undefined && isAlike(job, modelOf(row), true), `the row of ${id}`);
    }
  }

  /** Fails the batch in progress: memory returns to the stored state before it. */
  failed(): void {
    if (this.#flushing === undefined) return;
    undoAll([...this.#flushing.undos, ...this.#journal.undos]);
    this.#journal.undos = [];
    this.#changes = [];
    this.#flushing = undefined;
    this.model = new Map(this.#durable.model);
    assert.deepEqual(this.#counts, this.#durable.counts);
    for (const job of this.memory.all()) this.#check(job.id, job);
  }

  checkCounts(): void {
    const counts = this.#counts;
    let [inQueue, inProgress] = [0, 0];
    for (const { status } of this.model.values()) {
      if (status === "IN_QUEUE") inQueue += 1;
      else if (status === "IN_PROGRESS") inProgress += 1;
    }
    assert.deepEqual([counts.inQueue, counts.inProgress], [inQueue, inProgress]);
  }

  /** When everything is stored, memory has only the jobs that belong there. */
  end(): void {
    while (this.reads.length > 0) this.reads.shift()?.();
    for (let batches = 0; batches < 2; batches += 1) {
      this.flushed();
      this.seal();
    }
    this.flushed();
    this.memory.beginRead()[Symbol.dispose]();
    const endpoint = this.memory.endpoint(ENDPOINT);
    assert.deepEqual(
      [...this.memory.all()].filter((job) => !endpoint.has(job)),
      [],
    );
  }

  get #counts(): JobCounts {
    return this.memory.endpoint(ENDPOINT).counts;
  }

  #step(): Step {
    const state = { jobs: this.memory, records: this.#records, nextSeq: () => this.nextSeq() };
    return new Step(state, this.#number);
  }

  #applyDue(job: Job): void {
    const event = dueEvent(job, this.now, RULES);
    const expected = this.model.get(job.id);
    assert.equal(event?.type, expected && dueNow(expected, this.now));
    if (event !== undefined) this.#apply(job, event);
  }

  #apply(job: Job, event: JobEvent): void {
    const before = this.model.get(job.id);
    assert(before !== undefined);
    const step = this.#step();
    apply(step, job, event, this.now);
    // A lease is renewed in memory alone.
    if (event.type === "renew") assert(step.changes.every(({ type }) => type === "job-in-memory"));
    this.#changes.push(...step.changes);
    const expected = after(before, event, this.now);
    if (expected === undefined) this.model.delete(job.id);
    else this.model.set(job.id, expected);
    this.#check(job.id, this.memory.find(job.id));
    const told = step.effects.all.map((effect) =>
      effect.type === "news" ? effect.change.type : effect.type,
    );
    const hasEnded = expected?.endedAt !== undefined && before.endedAt === undefined;
    assert.equal(told.includes("settled"), hasEnded, `${event.type} of ${before.status}`);
    const isTaken = before.status === "IN_PROGRESS" && expected?.token === undefined;
    assert.equal(
      told.includes("revoke"),
      isTaken && event.type !== "fail" && event.type !== "hand-back",
    );
  }

  #check(id: string, job: Job | undefined): void {
    const expected = this.model.get(id);
    if (job === undefined || expected === undefined)
      assert.equal(job?.id, expected?.id, `job ${id}`);
    else if (!isAlike(modelOf(job), expected)) assert.deepEqual(modelOf(job), expected);
  }

  #readAhead(): void {
    if (this.#isReadingAhead) return;
    this.#isReadingAhead = true;
    const { lastKey } = this.memory.endpoint(ENDPOINT).window;
    const guard = this.memory.beginRead();
    const rows = [...this.stored.values()]
      .filter(({ status, queueKey }) => status === "IN_QUEUE" && queueKey > lastKey)
      .toSorted((a, b) => a.queueKey - b.queueKey)
      .slice(0, READ_AHEAD);
    this.reads.push(() => {
      const isLonger = this.memory.lengthen(ENDPOINT, rows, { after: lastKey, limit: READ_AHEAD });
      this.#isReadingAhead = false;
      if (!isLonger) this.#readAhead();
      guard[Symbol.dispose]();
    });
  }

  /** Calls `then` with the present job, unless it has been deleted. */
  #fetched(id: string, then: (job: Job) => void): void {
    const guard = this.memory.beginRead();
    const isKnown = this.memory.knows(id);
    const row = this.stored.get(id);
    const arrive = () => {
      const job = isKnown || row === undefined ? this.memory.find(id) : this.memory.admit(row);
      this.#check(id, job);
      if (job !== undefined) then(job);
      guard[Symbol.dispose]();
    };
    if (isKnown || row === undefined) arrive();
    else this.reads.push(arrive);
  }

  /** A worker's report under a lease, which may have ended. */
  report(token: string, kind: number): JobEvent {
    const leaseToken = token;
    const firstIndex = kind - REPORTS.length;
    const count = 1 + (kind % 2);
    if (firstIndex >= 0) return { type: "append-chunks", leaseToken, firstIndex, count };
    const nextQueueKey = this.nextSeq();
    const rest = {
      leaseToken,
      nextQueueKey,
      retryRules: RULES,
      failure: FAILURE,
      leaseMs: TIMES.leaseMs,
    };
    const type = REPORTS[kind] ?? "complete";
    // Half of the returned jobs keep their place.
    if (type === "hand-back" && nextQueueKey % 2 === 0) return { type, leaseToken };
    return { type, ...rest };
  }
}

export const REPORTS = [
  "complete",
  "fail",
  "time-out",
  "lose-worker",
  "hand-back",
  "renew",
] as const;
