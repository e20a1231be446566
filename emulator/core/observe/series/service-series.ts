/**
 * Events of each endpoint in the last hour, in steps of 10 s: depth of the queue, running jobs, ends, durations, workers by
 * state. A step without events is not kept, so an endpoint without traffic costs nothing. A step with jobs takes about 0.6 kB
 * (2.6 kB if they took from 1 ms to an hour): 250 kB for an hour without a pause.
 */
import { NewestByKey } from "../newest-by-key.ts";
import { NO_WORKERS, type WorkersByState } from "../../workers/workers-by-state.ts";
import type { Depth, Fact, JobMoved } from "../fact.ts";
import type { Clock } from "../../time/clock.ts";
import { Durations } from "./durations.ts";

export const STEP_MS = 10_000;
/** An hour. */
export const SERIES_STEPS = 360;
/** Maximum number of steps of all endpoints: about 30 MB. */
const STEPS_IN_ALL = 50_000;

/** A step with events. */
export interface Bucket {
  /** Number of the step since the epoch. */
  readonly step: number;
  completed: number;
  failed: number;
  /** Maximum within the step. */
  mostQueued: number;
  mostRunning: number;
  /** State at its end. */
  queued: number;
  running: number;
  workers: WorkersByState;
  delays: Durations | undefined;
  executions: Durations | undefined;
}

export class ServiceSeries {
  readonly #buckets = new NewestByKey<Bucket>({ perKey: SERIES_STEPS + 1, inAll: STEPS_IN_ALL });
  readonly #clock: Pick<Clock, "now">;

  /** Steps before this one are unknown. */
  readonly firstStep: number;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.firstStep = this.stepNow;
  }

  take(fact: Fact): void {
    switch (fact.type) {
      case "job":
        return fact.depth && this.#jobMoved(fact, fact.depth);
      case "jobs-left":
        return this.#setDepth(this.#current(fact.endpointId), fact.depth);
      case "worker":
        if (fact.states !== undefined) this.#current(fact.endpointId).workers = fact.states;
        return;
      case "endpoint":
        if (fact.change === "deleted") this.#buckets.delete(fact.endpointId);
        return;
      case "endpoint-gone":
        return this.#buckets.delete(fact.endpointId);
      default:
    }
  }

  /** The endpoint's steps with events, oldest first: of the last hour, and one before it if there is one. */
  bucketsOf(endpointId: string): readonly Bucket[] {
    return this.#buckets.of(endpointId);
  }

  get stepNow(): number {
    return Math.floor(this.#clock.now() / STEP_MS);
  }

  #jobMoved({ job, from, to, by }: JobMoved, depth: Depth): void {
    const bucket = this.#current(job.endpointId);
    this.#setDepth(bucket, depth);
    if (by === "hand-over" && job.delayTimeMs !== undefined)
      (bucket.delays ??= new Durations()).add(job.delayTimeMs);
    if (from === "IN_PROGRESS" && to !== "IN_QUEUE" && job.executionTimeMs !== undefined)
      (bucket.executions ??= new Durations()).add(job.executionTimeMs);
    if (to === "COMPLETED") bucket.completed += 1;
    if (to === "FAILED" || to === "TIMED_OUT") bucket.failed += 1;
  }

  #setDepth(bucket: Bucket, { inQueue, inProgress }: Depth): void {
    bucket.queued = inQueue;
    bucket.running = inProgress;
    if (inQueue > bucket.mostQueued) bucket.mostQueued = inQueue;
    if (inProgress > bucket.mostRunning) bucket.mostRunning = inProgress;
  }

  #current(endpointId: string): Bucket {
    const newest = this.#buckets.newest(endpointId);
    const step = this.stepNow;
    // An advance of the clock that was undone leaves a step in the future.
    if (newest !== undefined && newest.step >= step) return newest;
    // The last step before the hour stays: it has the state at the beginning of the hour.
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
