/**
 * What happened to each endpoint in the last hour, in steps of 10 s: depth of the queue, running jobs, ends, durations,
 * workers by state. A step in which nothing happened is not kept, so that an endpoint without traffic costs nothing; one in
 * which jobs ran takes about 0.6 kB (2.6 kB if they took from 1 ms to an hour): 250 kB for an hour without a pause.
 */
import { NewestByKey } from "../newest-by-key.ts";
import { NO_WORKERS, type WorkersByState } from "../../workers/workers-by-state.ts";
import { Durations } from "./durations.ts";

export const STEP_MS = 10_000;
/** An hour. */
export const SERIES_STEPS = 360;
/** Steps of all endpoints: about 30 MB. */
const STEPS_IN_ALL = 50_000;

/** Jobs of an endpoint at a moment. */
export interface Depth {
  readonly inQueue: number;
  readonly inProgress: number;
}

/** What became of a job, as far as it is counted here. */
export interface Happened {
  /** How long it had waited, ms: a worker was handed it. */
  readonly delayMs?: number | undefined;
  /** How long it ran, ms: it ended, or its attempt did for good. */
  readonly executionMs?: number | undefined;
  readonly end?: "completed" | "failed" | undefined;
}

/** One step in which something happened. */
export interface Bucket {
  /** Counts the steps since the epoch. */
  readonly step: number;
  completed: number;
  failed: number;
  /** The most at one time within the step. */
  mostQueued: number;
  mostRunning: number;
  /** At its end. */
  queued: number;
  running: number;
  workers: WorkersByState;
  delays: Durations | undefined;
  executions: Durations | undefined;
}

export class ServiceSeries {
  readonly #buckets = new NewestByKey<Bucket>({ perKey: SERIES_STEPS + 1, inAll: STEPS_IN_ALL });
  /** Service time. */
  readonly #now: () => number;

  /** Nothing is known of steps before. */
  readonly firstStep: number;

  constructor(now: () => number) {
    this.#now = now;
    this.firstStep = this.stepNow;
  }

  /** `depth` is as it is once that has happened. */
  happened(endpointId: string, depth: Depth, { delayMs, executionMs, end }: Happened): void {
    const bucket = this.#current(endpointId);
    bucket.queued = depth.inQueue;
    bucket.running = depth.inProgress;
    if (depth.inQueue > bucket.mostQueued) bucket.mostQueued = depth.inQueue;
    if (depth.inProgress > bucket.mostRunning) bucket.mostRunning = depth.inProgress;
    if (delayMs !== undefined) (bucket.delays ??= new Durations()).add(delayMs);
    if (executionMs !== undefined) (bucket.executions ??= new Durations()).add(executionMs);
    if (end !== undefined) bucket[end] += 1;
  }

  /** The workers of the endpoint, whenever the state of one has changed. */
  workersChanged(endpointId: string, workers: WorkersByState): void {
    this.#current(endpointId).workers = workers;
  }

  /** The steps in which something happened to the endpoint, oldest first: of the last hour, and one before it if there is one. */
  bucketsOf(endpointId: string): readonly Bucket[] {
    return this.#buckets.of(endpointId);
  }

  get stepNow(): number {
    return Math.floor(this.#now() / STEP_MS);
  }

  forget(endpointId: string): void {
    this.#buckets.delete(endpointId);
  }

  #current(endpointId: string): Bucket {
    const newest = this.#buckets.newest(endpointId);
    const step = this.stepNow;
    // An advance of the clock that was taken back leaves a step that is still to come.
    if (newest !== undefined && newest.step >= step) return newest;
    // The last one before the hour stays: it says how the hour began.
    this.#buckets.dropWhile(endpointId, (_, next) => next.step <= step - SERIES_STEPS);
    const { queued = 0, running = 0, workers = NO_WORKERS } = newest ?? {};
    const bucket: Bucket = {
      step,
      completed: 0,
      failed: 0,
      mostQueued: queued,
      mostRunning: running,
      queued,
      running,
      workers,
      delays: undefined,
      executions: undefined,
    };
    this.#buckets.add(endpointId, bucket);
    return bucket;
  }
}
