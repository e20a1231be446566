/**
 * The history of workers for operators: the stages of their lives, their jobs and their memory. Ended workers stay for an hour.
 * A worker takes about 25 kB at most.
 */
import type { Job } from "../../core/jobs/job.ts";
import { NewestByKey } from "../../core/observe/newest-by-key.ts";
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { Fact, JobMoved } from "../../core/observe/fact.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import type { LauncherKind, WorkerEnd, WorkerState } from "../../core/workers/worker-life.ts";
import type { WorkerExit, WorkerPlace } from "../../launch/launcher.ts";
import type { Fleet } from "./fleet.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/** Time for which an ended worker is kept (service time), and maximum number of ended workers. */
const KEPT_MS = 60 * 60_000;
const ENDED_BOUNDS = { perKey: 100, inAll: 1_000 };

/** Maximum number of past jobs of a worker that are kept. */
const PAST_JOBS = 200;

/** Maximum number of samples of memory: an hour. */
const MEMORY_SAMPLES = 360;

/** All moments in this file are service time, ms. */
export interface CurrentJob {
  readonly jobId: string;
  readonly startedAt: number;
}

/** `expired`: the job was deleted while it ran. */
export type PastOutcome = AttemptEnd["outcome"];

export interface PastJob extends CurrentJob {
  readonly endedAt: number;
  readonly outcome: PastOutcome;
}

/** Resident memory of the worker's processes, oldest sample first, with a sample every 10 s of real time. */
export interface MemorySamples {
  readonly bytes: readonly number[];
  /** When the last one was taken. */
  readonly endsAt: number;
}

/** A worker as operators see it. */
export interface WorkerReport extends WorkerPlace {
  readonly id: string;
  readonly endpointId: string;
  readonly version: number;
  readonly state: WorkerState;
  readonly launcher: LauncherKind | "external";
  readonly isFrozen: boolean;
  readonly gpus: readonly GpuDevice[];
  readonly startedAt: number;
  readonly pulledAt: number | undefined;
  readonly bootedAt: number | undefined;
  readonly readyAt: number | undefined;
  readonly drainingAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly end: WorkerEnd | undefined;
  readonly exit: WorkerExit | undefined;
  /** A sentence about the obstacle that keeps the program from running, if the launcher knows one. */
  readonly waitsFor: string | undefined;
  readonly memory: MemorySamples | undefined;
  readonly jobs: readonly CurrentJob[];
  /** Oldest first. */
  readonly past: readonly PastJob[];
}

interface Notes {
  /** At most twice as many as are shown: the oldest are removed many at once. */
  past: PastJob[];
  readonly bytes: number[];
  sampledAt: number;
}

interface Held extends CurrentJob {
  readonly by: Notes;
}

/** Its last jobs are added to the past ones when their end is durable. */
interface EndedWorker {
  readonly report: WorkerReport;
  readonly notes: Notes;
}

export class WorkerHistory {
  readonly #clock: Clock;
  readonly #fleet: Pick<Fleet, "find">;
  readonly #notes = new WeakMap<WorkerHandle, Notes>();
  /** The jobs that run, by id. */
  readonly #held = new Map<string, Held>();
  readonly #ended = new NewestByKey<EndedWorker>(ENDED_BOUNDS);

  /** @param clock service time */
  constructor(clock: Clock, fleet: Pick<Fleet, "find">) {
    this.#clock = clock;
    this.#fleet = fleet;
  }

  take(fact: Fact): void {
    switch (fact.type) {
      case "job":
        if (fact.depth === undefined) return;
        if (fact.to === "IN_PROGRESS") this.#handedOver(fact.job);
        else if (fact.from === "IN_PROGRESS") this.#givenUp(fact);
        return;
      case "job-named":
        if (!this.#held.has(fact.job.id)) this.#handedOver(fact.job);
        return;
      case "job-gone":
        this.#held.delete(fact.jobId);
        return;
      case "worker-memory":
        return this.#memory(this.#fleet.find(fact.workerId), fact.bytes);
      case "worker-ended":
        return this.#endOf(this.#fleet.find(fact.workerId));
      case "endpoint":
        if (fact.change === "deleted") this.#ended.delete(fact.endpointId);
        return;
      default:
    }
  }

  #memory(worker: WorkerHandle | undefined, bytes: number): void {
    if (worker === undefined) return;
    const notes = this.#notesOf(worker);
    notes.bytes.push(bytes);
    if (notes.bytes.length > MEMORY_SAMPLES) notes.bytes.shift();
    notes.sampledAt = this.#clock.now();
  }

  #endOf(worker: WorkerHandle | undefined): void {
    if (worker === undefined) return;
    const notes = this.#notesOf(worker);
    notes.past = notes.past.slice(-PAST_JOBS);
    const { endpointId, life, exit } = worker;
    const ending = { state: "ended", endedAt: this.#clock.now(), end: life.end, exit } as const;
    const report = { ...this.reportOf(worker), ...ending, waitsFor: undefined, jobs: [] };
    this.#ended.add(endpointId, { report, notes });
  }

  /** Workers of the endpoint that ended in the last hour, oldest first. */
  endedOf(endpointId: string): readonly WorkerReport[] {
    const since = this.#clock.now() - KEPT_MS;
    return this.#ended
      .of(endpointId)
      .filter(({ report: { endedAt = 0 } }) => endedAt >= since)
      .map(({ report, notes }) => ({ ...report, past: notes.past.slice(-PAST_JOBS) }));
  }

  reportOf(worker: WorkerHandle): WorkerReport {
    const notes = this.#notesOf(worker);
    const { id, endpointId, endpointVersion: version, state, launched, isFrozen, gpus } = worker;
    const { startedAt, pulledAt, bootedAt, drainingAt, start } = worker;
    return {
      ...{ id, endpointId, version, state, isFrozen, gpus, ...launched?.place?.() },
      launcher: launched?.kind ?? "external",
      ...{ startedAt, pulledAt, bootedAt, drainingAt },
      readyAt: start?.readyAt,
      ...{ endedAt: undefined, end: undefined, exit: undefined },
      waitsFor: launched?.obstacle?.()?.reason,
      memory: memoryOf(notes),
      jobs: [...this.#held.values()]
        .filter(({ by }) => by === notes)
        .map(({ jobId, startedAt: since }) => ({ jobId, startedAt: since })),
      past: notes.past.slice(-PAST_JOBS),
    };
  }

  #handedOver(job: Job): void {
    const worker = job.workerId === undefined ? undefined : this.#fleet.find(job.workerId);
    if (worker === undefined) return;
    const startedAt = job.startedAt ?? this.#clock.now();
    this.#held.set(job.id, { jobId: job.id, startedAt, by: this.#notesOf(worker) });
  }

  #givenUp({ job, to, ended }: JobMoved): void {
    const held = this.#held.get(job.id);
    if (held === undefined) return;
    this.#held.delete(job.id);
    const { by } = held;
    // The job's own start counts, because an advance of the clock moves the start of a running job.
    const attempt = job.startedAt === undefined ? job.earlierAttempts?.at(-1) : job;
    const { startedAt = held.startedAt } = attempt ?? {};
    const outcome = to === null ? "expired" : (ended?.outcome ?? "interrupted");
    by.past.push({ jobId: job.id, startedAt, endedAt: this.#clock.now(), outcome });
    if (by.past.length > 2 * PAST_JOBS) by.past = by.past.slice(-PAST_JOBS);
  }

  #notesOf(worker: WorkerHandle): Notes {
    const known = this.#notes.get(worker);
    if (known !== undefined) return known;
    const notes: Notes = { past: [], bytes: [], sampledAt: 0 };
    this.#notes.set(worker, notes);
    return notes;
  }
}

function memoryOf({ bytes, sampledAt: endsAt }: Notes): MemorySamples | undefined {
  return bytes.length === 0 ? undefined : { bytes: [...bytes], endsAt };
}
