/**
 * The jobs in memory: running jobs, the heads of the queues, and jobs with changes that the store does not have yet. Memory is
 * always up to date about them. All other jobs are in the store alone.
 */
import { NO_COUNTS, type JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { Journal } from "../../../core/undo-journal.ts";
import type { JobPayloads } from "../effects.ts";
import { endpointMoved } from "./endpoint-moved.ts";
import { EndpointJobs } from "./endpoint-jobs.ts";
import { asRead, bytesOf, type HeldJob } from "./held-job.ts";

export interface MemoryLimits {
  /** Maximum number of waiting jobs of an endpoint in memory. Later ones are in the store only. */
  readonly windowMax: number;
  /** Number of jobs of all endpoints in memory at which new jobs wait in the store. */
  readonly jobsMax: number;
  /** Minimum number of waiting jobs of an endpoint in memory. Below it more are read. */
  readonly fewWaiting: number;
  /** Number of waiting jobs per read. */
  readonly readAhead: number;
  /** Maximum size of inputs of waiting jobs, of all endpoints together. */
  readonly inputBytes: number;
}

export const MEMORY_LIMITS: MemoryLimits = {
  windowMax: 1_000,
  jobsMax: 50_000,
  fewWaiting: 100,
  readAhead: 500,
  inputBytes: 64_000_000,
};

export class JobMemory {
  readonly #journal: Journal;
  readonly #held = new Map<string, HeldJob>();
  readonly #endpoints = new Map<string, EndpointJobs>();
  /** Jobs that may leave memory once their batch is durable. */
  #leaving: { readonly id: string; readonly batch: number }[] = [];
  readonly #reads = new Set<{ readonly durable: number }>();
  readonly #limits: MemoryLimits;
  /** Whether this process owns the jobs of the endpoint. */
  readonly holds: (endpointId: string) => boolean;
  #inputBytes = 0;
  #durable: number;
  /** Counts the calls of `load`. A read that began before a `load` and ends after it may be outdated. */
  loads = 0;

  /**
   * @param durable number of the last batch in the store
   * @param holds tells which endpoints are held; default: all
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

  /** Loads the store's data of endpoints at the start, or when this process begins to hold them. */
  load(counts: Iterable<readonly [string, JobCounts]>, running: Iterable<Job>): void {
    this.loads += 1;
    for (const [endpointId, ofEndpoint] of counts)
      this.#endpoints.set(endpointId, this.#newEndpoint(ofEndpoint));
    for (const job of running) this.#admit(job);
  }

  /** Drops all data of endpoints that are no longer held. */
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

  /** Undefined if memory does not know the job, or knows that it was deleted. */
  find(id: string): Job | undefined {
    return this.#held.get(id)?.job;
  }

  /** The job, if all its changes are durable, or if it runs and its hand-over is durable. */
  findSettled(id: string): Job | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    const { job, batch, handedOverBy } = held;
    const since = job?.status === "IN_PROGRESS" ? handedOverBy : batch;
    return since <= this.#durable ? job : undefined;
  }

  /** Whether memory is complete about the job. It may know that the job was deleted. */
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
   * Changes a job in memory; undefined stands for a job that does not exist. Returns the row as it was stored, or as earlier
   * batches will store it.
   * @param batch the batch that stores the change; undefined if none does, and the row stays as it is
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
    const { status, lease } = after ?? {};
    const isHandedOver = status === "IN_PROGRESS" && lease?.token !== before?.lease?.token;
    this.#put(job.id, endpoint, held, {
      endpoint,
      job: after,
      row: batch === undefined ? held?.row : after,
      batch: batch ?? held?.batch ?? 0,
      handedOverBy: isHandedOver ? (batch ?? 0) : (held?.handedOverBy ?? 0),
      input: status === "IN_QUEUE" ? held?.input : undefined,
    });
    this.#journal.undos.push(() => {
      if (this.#endpoints.get(job.endpointId) !== endpoint) return;
      this.#put(job.id, endpoint, this.#held.get(job.id), held);
      endpoint.counts = counts;
    });
    return held?.row;
  }

  /**
   * Keeps the payloads of a waiting job until its hand-over, if there is room and the job is due soon. Keeps copies, because
   * the bytes of a request are a slice of a larger buffer.
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

  /** Whether memory has few waiting jobs of the endpoint, and the store has more. */
  isShortOfWaiting(endpointId: string): boolean {
    const { coldCount, window } = this.endpoint(endpointId);
    return coldCount > 0 && window.jobs.length < this.#limits.fewWaiting;
  }

  /**
   * Registers the beginning of a read of jobs. Dispose the result when the jobs are in memory. Jobs that change meanwhile stay
   * in memory.
   */
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
   * Takes in a job that was read within a `beginRead`, unless memory has a newer state. Returns the job as it is now. A job of
   * an endpoint that is not held counts as absent.
   */
  admit(row: Job): Job | undefined {
    const held = this.#held.get(row.id);
    if (held !== undefined) return held.job;
    if (!this.holds(row.endpointId)) return undefined;
    this.#admit(row);
    return row;
  }

  /**
   * Lengthens the window of an endpoint by jobs that were read within a `beginRead`: the `limit` jobs behind the key `after`,
   * which was the window's last key. False if the window has become shorter meanwhile. The jobs in between are not known then,
   * and the read must be repeated.
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
      if (!this.#held.has(job.id)) this.#held.set(job.id, asRead(endpoint, job));
    }
    return true;
  }

  /** Call it when all batches up to this one are in the store. */
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
    this.#held.set(row.id, asRead(endpoint, row));
    endpoint.place(row);
    if (!endpoint.has(row)) this.#leaving.push({ id: row.id, batch: 0 });
  }

  #put(
    id: string,
    endpoint: EndpointJobs,
    from: HeldJob | undefined,
    to: HeldJob | undefined,
  ): void {
    endpoint.move(from?.job, to?.job);
    this.#hold(id, to);
    if (to !== undefined && (to.job === undefined || !endpoint.has(to.job)))
      this.#leaving.push({ id, batch: to.batch });
  }

  #hold(id: string, held: HeldJob | undefined): void {
    const before = this.#held.get(id)?.input;
    if (held?.input !== before) this.#inputBytes += bytesOf(held?.input) - bytesOf(before);
    if (held === undefined) this.#held.delete(id);
    else this.#held.set(id, held);
  }

  /**
   * Forgets durable jobs. They must have been durable when the oldest running read began, because that read may return an
   * earlier state.
   */
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

  #evict(id: string, { endpoint, job }: HeldJob): void {
    if (job !== undefined) {
      if (endpoint.has(job)) return;
      endpoint.evict(job);
    }
    this.#hold(id, undefined);
  }
}
