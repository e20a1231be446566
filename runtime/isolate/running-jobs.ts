/** The jobs in a handler process, by invocation and by lease. */
import { Buffer } from "node:buffer";
import type { PausableClock } from "../core/pausable-clock.ts";
import type { RunHead } from "../pipe/frame-kinds.ts";
import type { Failure } from "../protocol/failure.ts";
import { type HandedJob, leaseKey, type LeaseRef } from "../protocol/outcome.ts";
import type { PauseReport } from "../protocol/session.ts";
import type { Due } from "./ending/due-timer.ts";

/** Why a job is or was being ended. The first cause counts. */
export type EndingCause = "deadline" | "revoked" | "handed-back" | "failed";

/** A job from its hand-over until its place in the handler process is free again. */
export interface RunningJob extends Due {
  readonly slot: number;
  readonly lease: LeaseRef;
  readonly executionTimeoutMs: number;
  /** Total duration of the clock's pauses before this job arrived, ms. */
  readonly pausedBeforeMs: number;
  /** The job's data, kept until the job has started. */
  waiting: HandedJob | undefined;
  /** Set if the outcome is decided while the handler still runs. */
  ending: EndingCause | undefined;
  /** Why the handler has failed, set while its earlier output is still being read. */
  failure: Failure | undefined;
  /** The deadline, or the end of the grace once the job is being ended. */
  dueAt: number;
}

export class RunningJobs {
  readonly #bySlot = new Map<number, RunningJob>();
  readonly #slotByLease = new Map<string, number>();
  #lastSlot = 0;

  get size(): number {
    return this.#bySlot.size;
  }

  add(job: HandedJob, clock: PausableClock): RunningJob {
    const { jobId, leaseToken, executionTimeoutMs } = job;
    const running: RunningJob = {
      slot: this.#nextSlot(),
      lease: { jobId, leaseToken },
      executionTimeoutMs,
      pausedBeforeMs: clock.pausedMs,
      waiting: job,
      ending: undefined,
      failure: undefined,
      dueAt: clock.now() + executionTimeoutMs,
    };
    this.#bySlot.set(running.slot, running);
    this.#slotByLease.set(leaseKey(running.lease), running.slot);
    return running;
  }

  remove(job: RunningJob): void {
    this.#bySlot.delete(job.slot);
    this.#slotByLease.delete(leaseKey(job.lease));
  }

  at(slot: number): RunningJob | undefined {
    return this.#bySlot.get(slot);
  }

  of(lease: LeaseRef): RunningJob | undefined {
    const slot = this.#slotByLease.get(leaseKey(lease));
    return slot === undefined ? undefined : this.#bySlot.get(slot);
  }

  /** Jobs that have not begun because no handler process was ready. */
  waiting(): RunningJob[] {
    return [...this.#bySlot.values()].filter((job) => job.waiting !== undefined);
  }

  started(): RunningJob[] {
    return [...this.#bySlot.values()].filter((job) => job.waiting === undefined);
  }

  /** Jobs without an outcome, begun or not. */
  open(): RunningJob[] {
    return [...this.#bySlot.values()].filter((job) => job.ending === undefined);
  }

  /** The number of the next invocation. Numbers are unique, so that a late frame never counts for another invocation. */
  #nextSlot(): number {
    this.#lastSlot = this.#lastSlot === 0xffff_ffff ? 1 : this.#lastSlot + 1;
    return this.#lastSlot;
  }
}

/** Whether and for how long a debugger paused the job. */
export function pauseOf({ lease, pausedBeforeMs }: RunningJob, clock: PausableClock): PauseReport {
  const pausedMs = Math.round(clock.pausedMs - pausedBeforeMs);
  return { ...lease, isPaused: clock.isPaused, pausedMs };
}

/** The order that starts the job in the handler process. */
export function runOrder(
  { jobId, attempt, input, s3Config, traceparent }: HandedJob,
  remainingMs: number,
): { readonly head: RunHead; readonly payload: Uint8Array } {
  const head: RunHead = { jobId, attempt, remainingMs, ...(traceparent && { traceparent }) };
  if (s3Config === undefined) return { head, payload: input };
  return {
    head: { ...head, s3Bytes: s3Config.byteLength },
    payload: Buffer.concat([input, s3Config]),
  };
}
