/**
 * The jobs that are in memory, which is the truth about them: those that run, the heads of the queues, and for as long as they
 * are needed those that the store does not have as they are now. All other jobs are in the store alone.
 */
import { NO_COUNTS, type JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { Journal } from "../../../core/undo-journal.ts";
import type { JobPayloads } from "../effects.ts";
import { endpointMoved } from "./endpoint-moved.ts";
import { EndpointJobs } from "./endpoint-jobs.ts";

/** How much is kept in memory. */
export interface MemoryLimits {
  /** Waiting jobs of an endpoint: those behind so many are in the store only. */
  readonly windowMax: number;
  /** Jobs of all endpoints: with so many, what is submitted waits in the store. */
  readonly jobsMax: number;
  /** With fewer waiting jobs of an endpoint in memory, more are read. */
  readonly fewWaiting: number;
  /** Waiting jobs that are read at a time. */
  readonly readAhead: number;
  /** Inputs of waiting jobs, of all endpoints. */
  readonly inputBytes: number;
}

export const MEMORY_LIMITS: MemoryLimits = {
  windowMax: 1_000,
  jobsMax: 50_000,
  fewWaiting: 100,
  readAhead: 500,
  inputBytes: 64_000_000,
};

interface Held {
  readonly endpoint: EndpointJobs;
  /** Undefined: it was deleted. */
  readonly job: Job | undefined;
  /** As the newest batch has it that changes its row. */
  readonly row: Job | undefined;
  /** The number of the newest batch that changed it; 0: it is as it was read. */
  readonly batch: number;
  /** What it is to be handed over with, if that is kept. */
  readonly input?: JobPayloads | undefined;
}

export class JobMemory {
  readonly #journal: Journal;
  readonly #held = new Map<string, Held>();
  readonly #endpoints = new Map<string, EndpointJobs>();
  /** Jobs that need not be held once their batch is durable. */
  #leaving: { readonly id: string; readonly batch: number }[] = [];
  readonly #reads = new Set<{ readonly durable: number }>();
  readonly #limits: MemoryLimits;
  /** Whether the jobs of the endpoint are decided on here. */
  readonly holds: (endpointId: string) => boolean;
  #inputBytes = 0;
  #durable: number;
  /** Counts the calls of `load`: what was read before and arrives after it may be outdated. */
  loads = 0;

  /**
   * @param durable the number of the last batch in the store
   * @param holds by default all are
   */
  constructor(
    journal: Journal,
    durable: number,
    limits = MEMORY_LIMITS,
    holds: (endpointId: string) => boolean = () => true,
  ) {
    this.#journal = journal;
    this.#durable = durable;
    this.#limits = limits;
    this.holds = holds;
  }

  /** What the store has of endpoints that memory knows nothing of: at the start, or when they are held from now on. */
  load(counts: Iterable<readonly [string, JobCounts]>, running: Iterable<Job>): void {
    this.loads += 1;
    for (const [endpointId, ofEndpoint] of counts)
      this.#endpoints.set(endpointId, this.#newEndpoint(ofEndpoint));
    for (const job of running) this.#admit(job);
  }

  /** Drops all that is known of endpoints that are not held any more. */
  forgetMoved(): void {
    const gone = new Set<EndpointJobs>();
    for (const [endpointId, jobs] of this.#endpoints) {
      if (this.holds(endpointId)) continue;
      gone.add(jobs);
      this.#endpoints.delete(endpointId);
    }
    for (const [id, { endpoint }] of this.#held) if (gone.has(endpoint)) this.#hold(id, undefined);
  }

  /** @throws ServiceError endpoint_moved unless the endpoint is held */
  refuseMoved(endpointId: string): void {
    if (!this.holds(endpointId)) throw endpointMoved({ endpointId });
  }

  /** @throws ServiceError endpoint_moved unless the endpoint is held */
  endpoint(endpointId: string): EndpointJobs {
    let jobs = this.#endpoints.get(endpointId);
    if (jobs === undefined) {
      this.refuseMoved(endpointId);
      jobs = this.#newEndpoint(NO_COUNTS);
      this.#endpoints.set(endpointId, jobs);
    }
    return jobs;
  }

  /** Undefined when memory knows nothing of it, or knows that it was deleted. */
  find(id: string): Job | undefined {
    return this.#held.get(id)?.job;
  }

  /** Whether memory knows what there is to know of it, be it that it was deleted. */
  knows(id: string): boolean {
    return this.#held.has(id);
  }

  /** All jobs in memory that are not deleted. */
  *all(): Iterable<Job> {
    for (const { job } of this.#held.values()) if (job !== undefined) yield job;
  }

  *running(): Iterable<Job> {
    for (const { running } of this.#endpoints.values()) yield* running.values();
  }

  /**
   * Changes a job in memory; undefined stands for one that does not exist. Answers the row as it was stored, or will be by
   * the batches before.
   *
   * @param batch the one that stores the change; undefined if none does: its row keeps what it has
   */
  change(
    before: Job | undefined,
    after: Job | undefined,
    batch: number | undefined,
  ): Job | undefined {
    const job = after ?? before;
    if (job === undefined) throw new Error("neither a job before nor one after the change");
    const held = this.#held.get(job.id);
    if (held?.job !== before) throw new Error(`job ${job.id} is not in memory as it was given`);
    const endpoint = this.endpoint(job.endpointId);
    const { counts } = endpoint;
    this.#put(job.id, endpoint, held, {
      endpoint,
      job: after,
      row: batch === undefined ? held?.row : after,
      batch: batch ?? held?.batch ?? 0,
      input: after?.status === "IN_QUEUE" ? held?.input : undefined,
    });
    this.#journal.note(() => {
      if (this.#endpoints.get(job.endpointId) !== endpoint) return;
      this.#put(job.id, endpoint, this.#held.get(job.id), held);
      endpoint.counts = counts;
    });
    return held?.row;
  }

  /**
   * Keeps what a waiting job is to be handed over with, if there is room, until it waits no more; such a job only as is to be
   * handed over soon. Keeps copies, for the bytes of a request are a piece of a larger buffer.
   */
  keepInput(job: Job, { input, s3Config }: JobPayloads): void {
    const held = this.#held.get(job.id);
    const bytes = input.byteLength + (s3Config?.byteLength ?? 0);
    if (held === undefined || !this.endpoint(job.endpointId).window.has(job)) return;
    if (this.#inputBytes + bytes > this.#limits.inputBytes) return;
    const copies = { input: new Uint8Array(input), s3Config: s3Config && new Uint8Array(s3Config) };
    this.#hold(job.id, { ...held, input: copies });
  }

  inputOf(id: string): JobPayloads | undefined {
    return this.#held.get(id)?.input;
  }

  /** Whether more jobs wait than are in memory, and few of them are. */
  isShortOfWaiting(endpointId: string): boolean {
    const { coldCount, window } = this.endpoint(endpointId);
    return coldCount > 0 && window.jobs.length < this.#limits.fewWaiting;
  }

  /** Notes that jobs are being read; `[Symbol.dispose]` when what was read is in memory. What changes meanwhile stays in memory. */
  beginRead(): Disposable {
    const read = { durable: this.#durable };
    this.#reads.add(read);
    return {
      [Symbol.dispose]: () => {
        this.#reads.delete(read);
        this.#leave();
      },
    };
  }

  /**
   * Takes in a job that was read, unless memory knows better; within a `beginRead`. Answers it as it is now. One of an endpoint that
   * is not held is none here.
   */
  admit(row: Job): Job | undefined {
    const held = this.#held.get(row.id);
    if (held !== undefined) return held.job;
    if (!this.holds(row.endpointId)) return undefined;
    this.#admit(row);
    return row;
  }

  /**
   * Lengthens the window of an endpoint by what was read, within a `beginRead`, of the `limit` jobs behind the key `after`, which
   * was its last one. False if the window ends before it by now: what waits between is not known, and it is to be read again.
   */
  lengthen(
    endpointId: string,
    rows: readonly Job[],
    { after, limit }: { readonly after: number; readonly limit: number },
  ): boolean {
    const endpoint = this.endpoint(endpointId);
    if (endpoint.window.lastKey < after) return false;
    const fresh = rows.filter(({ id }) => !this.#held.has(id));
    const upTo = rows.length < limit ? Number.POSITIVE_INFINITY : (rows.at(-1)?.queueKey ?? 0);
    for (const job of endpoint.lengthen(fresh, upTo)) {
      if (!this.#held.has(job.id)) this.#held.set(job.id, { endpoint, job, row: job, batch: 0 });
    }
    return true;
  }

  /** All batches up to this one are in the store. */
  becameDurable(batch: number): void {
    this.#durable = batch;
    this.#leave();
  }

  #newEndpoint(counts: JobCounts): EndpointJobs {
    const { jobsMax, windowMax } = this.#limits;
    return new EndpointJobs(counts, { windowMax, mayGrow: () => this.#held.size < jobsMax });
  }

  #admit(row: Job): void {
    const endpoint = this.endpoint(row.endpointId);
    this.#held.set(row.id, { endpoint, job: row, row, batch: 0 });
    endpoint.place(row);
    if (!endpoint.has(row)) this.#leaving.push({ id: row.id, batch: 0 });
  }

  #put(id: string, endpoint: EndpointJobs, from: Held | undefined, to: Held | undefined): void {
    endpoint.move(from?.job, to?.job);
    this.#hold(id, to);
    if (to !== undefined && (to.job === undefined || !endpoint.has(to.job)))
      this.#leaving.push({ id, batch: to.batch });
  }

  #hold(id: string, held: Held | undefined): void {
    const before = this.#held.get(id)?.input;
    if (held?.input !== before) this.#inputBytes += bytesOf(held?.input) - bytesOf(before);
    if (held === undefined) this.#held.delete(id);
    else this.#held.set(id, held);
  }

  /** Lets go of what is durable, and was so when the oldest read under way began, for that may have read what was before. */
  #leave(): void {
    let until = this.#durable;
    for (const read of this.#reads) until = Math.min(until, read.durable);
    this.#leaving = this.#leaving.filter(({ id, batch }) => {
      if (batch > until) return true;
      const held = this.#held.get(id);
      if (held?.batch === batch) this.#evict(id, held);
      return false;
    });
  }

  #evict(id: string, { endpoint, job }: Held): void {
    if (job !== undefined) {
      if (endpoint.has(job)) return;
      endpoint.evict(job);
    }
    this.#hold(id, undefined);
  }
}

function bytesOf({ input, s3Config }: Partial<JobPayloads> = {}): number {
  return (input?.byteLength ?? 0) + (s3Config?.byteLength ?? 0);
}
