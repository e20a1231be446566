/** One service under the model test: an engine on a store, its workers and the hand-overs they remember. */
import { isDeepStrictEqual } from "node:util";
import { chunksOf } from "../../runtime/protocol/chunk-batch.ts";
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import type { JobCounts } from "../../emulator/core/jobs/job-counts.ts";
import { dueAt } from "../../emulator/core/jobs/job-due.ts";
import type { Job } from "../../emulator/core/jobs/job.ts";
import type { WorkerCounts } from "../../emulator/engine/workers/fleet.ts";
import type { Store, StoreReads } from "../../emulator/store/store.ts";
import { createTestEngine, type TestEngine } from "../unit/engine-harness.ts";
import type { ScriptedWorker } from "../unit/scripted-worker.ts";

export const ENDPOINT_IDS = ["plain", "forgiving"] as const;

/** A hand-over as its worker saw it. */
export interface Held {
  readonly worker: ScriptedWorker;
  readonly job: HandedJob;
  chunks: number;
  over: boolean;
}

export interface SeenJob {
  readonly job: Job;
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly chunks: readonly (string | undefined)[];
}

export interface Snapshot {
  readonly now: number;
  readonly jobs: readonly SeenJob[];
  readonly endpoints: readonly {
    readonly id: string;
    readonly counts: JobCounts;
    readonly oldest: number | undefined;
    readonly workers: WorkerCounts;
  }[];
  /** Time of the next due event; Infinity without one. */
  readonly nextDueAt: number;
  /** The rows in the store equal the jobs in memory. */
  readonly isStored: boolean;
}

/** Reading a large input from a file takes some turns of the event loop, not thousands. */
const MOST_TURNS = 10_000;
/** Maximum number of jobs; a history has far fewer. */
const MOST_JOBS = 10_000;

export class Subject implements AsyncDisposable {
  readonly test: TestEngine;
  /** Jobs that were submitted and not deleted yet. */
  jobIds: { readonly endpointId: string; readonly jobId: string }[] = [];
  readonly workers: ScriptedWorker[] = [];
  /** Every hand-over of a job that still exists; stale ones stay, to be reported on again. */
  held: Held[] = [];
  readonly #seenOrders = new Map<ScriptedWorker, number>();
  readonly #seenJobs = new Map<string, SeenJob>();

  private constructor(test: TestEngine) {
    this.test = test;
  }

  static async open(store: Store): Promise<Subject> {
    const test = await createTestEngine(store);
    await test.addEndpoint("plain");
    await test.addEndpoint("forgiving", { retries: { workerLost: 2, handlerError: 1 } });
    return new Subject(test);
  }

  /** Waits until every running job has reached its worker; returns the state then. */
  async settled(): Promise<Snapshot> {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      this.#collect();
      const snapshot = await this.snapshot();
      this.#forgetDeleted(snapshot);
      const arrived = new Set(this.held.map(({ job }) => job.leaseToken));
      const running = snapshot.jobs.filter(({ job }) => job.status === "IN_PROGRESS");
      if (snapshot.isStored && running.every(({ job }) => arrived.has(job.lease?.token ?? "")))
        return snapshot;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    throw new Error("a job in progress never reached its worker, or is not stored as it is");
  }

  /** Records the service's messages to the workers since the last call. */
  #collect(): void {
    for (const worker of this.workers) {
      const seen = this.#seenOrders.get(worker) ?? 0;
      this.#seenOrders.set(worker, worker.orders.length);
      for (const orders of worker.orders.slice(seen)) {
        for (const job of orders.jobs ?? [])
          this.held.push({ worker, job, chunks: 0, over: false });
        for (const { leaseToken } of orders.revocations ?? []) this.#end(leaseToken);
      }
    }
    // A store that keeps a large input in a file sends it later than a small one: this difference does not count.
    this.held.sort((a, b) => (a.job.leaseToken < b.job.leaseToken ? -1 : 1));
  }

  /** Makes the next snapshot read unchanged jobs again too. */
  readAllAgain(): void {
    this.#seenJobs.clear();
  }

  /** All state that a client or an operator can see, for comparison. */
  async snapshot(): Promise<Snapshot> {
    const { engine } = this.test;
    return engine.steps.read(async (view) => {
      const jobs = [];
      let isStored = true;
      const rows = new Map<string, Job>();
      for (const id of ENDPOINT_IDS)
        for (const row of await view.listJobs(id, { limit: MOST_JOBS })) rows.set(row.id, row);
      const inMemory = new Map(engine.steps.jobsInMemory().map((job) => [job.id, job]));
      for (const { jobId } of this.jobIds) {
        const row = rows.get(jobId);
        const job = inMemory.get(jobId) ?? row;
        isStored &&= isDeepStrictEqual(stored(job), stored(row));
        if (job) jobs.push(await this.#see(view, job));
      }
      const endpoints = [];
      for (const id of ENDPOINT_IDS) {
        const oldest = await view.oldestScalingQueuedAt(id);
        endpoints.push({
          id,
          counts: await engine.steps.counts(id),
          oldest,
          workers: engine.fleet.counts(id),
        });
      }
      const due = [await view.nextDueAt(), ...engine.steps.jobsInMemory().map(dueAt)];
      const nextDueAt = Math.min(...due.filter((at) => at !== undefined));
      return { now: engine.clock.now(), jobs, endpoints, nextDueAt, isStored };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test.stop();
  }

  /** Large payloads take most of a snapshot's time; those of an unchanged job are not read again. */
  async #see(view: StoreReads, job: Job): Promise<SeenJob> {
    const before = this.#seenJobs.get(job.id);
    if (before && isDeepStrictEqual(before.job, job)) return before;
    const chunks = await view.chunks(job.seq, { from: 0, maxCount: 1_000, maxBytes: 10_000_000 });
    const seen = {
      job,
      input: text(await (await view.payload(job.seq, "input"))?.bytes()),
      output: text(await (await view.payload(job.seq, "output"))?.bytes()),
      chunks: chunks.flatMap(chunksOf).map(text),
    };
    this.#seenJobs.set(job.id, seen);
    return seen;
  }

  #forgetDeleted({ jobs }: Snapshot): void {
    const known = new Set(jobs.map(({ job }) => job.id));
    this.jobIds = this.jobIds.filter(({ jobId }) => known.has(jobId));
    this.held = this.held.filter(({ job }) => known.has(job.jobId));
  }

  #end(leaseToken: string): void {
    for (const held of this.held) if (held.job.leaseToken === leaseToken) held.over = true;
  }
}

/** Stored members of a job: the renewals of its lease are known in memory only. */
function stored(job: Job | undefined): unknown {
  return job && { ...job, lease: job.lease && { ...job.lease, expiresAt: 0 } };
}

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && new TextDecoder().decode(bytes);
}
