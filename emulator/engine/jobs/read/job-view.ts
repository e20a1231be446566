/** Reads a job with its output, at once or when it has ended. */
import type { JobChange, JobRef } from "../../steps/job-watchers.ts";
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { ShownPayload } from "../../../core/jobs/opened-payload.ts";
import type { StoreReads } from "../../../store/store.ts";
import type { Step } from "../../steps/step.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import type { LimitPort } from "../../limits/bytes-in-flight.ts";
import { askOrEnd, unlessDamaged } from "../damaged-data.ts";
import { storedOutput, showPayload } from "./show-payload.ts";

export type WaitUses = StepPort &
  TimePort &
  WorkerPort &
  TellPort &
  CatalogPort &
  WakePort &
  LimitPort;

/** A job as `/status` shows it. */
export interface JobView {
  readonly job: Job;
  /** Raw JSON: the handler's output, or the last progress value while the job runs. Dispose of it if it is opened. */
  readonly output: ShownPayload | undefined;
}

/** Tells that the answer is not wanted any more, as an `AbortSignal` does. */
export interface Abandonment {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** @throws ServiceError job_not_found, also for a job of another endpoint */
export async function readJob(reads: StoreReads, ref: JobRef): Promise<Job> {
  return existing(await reads.job(ref.jobId), ref);
}

/** @throws ServiceError job_not_found, also for a job of another endpoint */
export async function refuseUnknown(engine: StepPort, ref: JobRef): Promise<void> {
  const job = await engine.steps.runningJob(ref.jobId);
  engine.ownership.refuseMoved(ref.endpointId);
  if (job === undefined) await engine.steps.read((reads) => readJob(reads, ref));
  else existing(job, ref);
}

/**
 * The job, in a step that has already begun.
 * @throws ServiceError job_not_found, also for a job of another endpoint; endpoint_moved
 */
export function findJob(step: Step, ref: JobRef): Job {
  step.refuseMoved(ref.endpointId);
  return existing(step.job(ref.jobId), ref);
}

function existing(job: Job | undefined, ref: JobRef): Job {
  if (job?.endpointId === ref.endpointId) return job;
  throw jobNotFound(ref.jobId);
}

function jobNotFound(jobId: string): ServiceError {
  return new ServiceError(
    "job_not_found",
    `there is no job "${jobId}" on this endpoint; it may have been deleted after its time to live or its retention`,
  );
}

/** @throws ServiceError job_not_found */
export async function viewJob(
  engine: StepPort & TimePort & WorkerPort & TellPort & CatalogPort,
  ref: JobRef,
): Promise<JobView> {
  engine.directory.queue(ref.endpointId);
  return askOrEnd(engine, ref.jobId, () =>
    engine.steps.read(async (view) => {
      const job = await readJob(view, ref);
      const output = await storedOutput(view, job);
      return { job, output: await unlessDamaged(job, () => showPayload(output)) };
    }),
  );
}

/** The job once it has ended, or its state after `waitMs` or when `signal` aborts. @throws ServiceError job_not_found */
export async function viewJobAtEnd(
  engine: WaitUses,
  ref: JobRef,
  waitMs: number,
  signal: Abandonment,
): Promise<JobView> {
  engine.directory.queue(ref.endpointId);
  return waitForEnd(engine, ref, waitMs, signal, () =>
    engine.steps.read((view) => readJob(view, ref)),
  );
}

/**
 * Watches the job, calls `begin` (which submits or finds it), and waits for its end, `waitMs` or `signal`. A job that is purged
 * meanwhile is shown CANCELLED, because it cannot be found afterwards.
 * @throws ServiceError job_not_found, endpoint_moved, or errors of `begin`
 */
export async function waitForEnd(
  engine: WaitUses,
  ref: JobRef,
  waitMs: number,
  signal: Abandonment,
  begin: () => Promise<Job>,
): Promise<JobView> {
  const { promise: ended, resolve } = Promise.withResolvers<JobChange | undefined>();
  const giveUp = () => resolve(undefined);
  const unwatch = engine.watchers.watch(ref, (news) => {
    if (news.type === "settled" || news.type === "removed") resolve(news);
    else if (news.type === "moved" && !engine.ownership.owns(ref.endpointId)) giveUp();
  });
  signal.addEventListener("abort", giveUp);
  const note = { type: "answer", jobId: ref.jobId } as const;
  const disarm = engine.clock.wakeAt(engine.clock.now() + waitMs, giveUp, note);
  try {
    const job = await begin();
    if (isTerminal(job.status) || signal.aborted) return await viewJob(engine, ref);
    engine.ownership.refuseMoved(ref.endpointId);
    const change = await ended;
    engine.ownership.refuseMoved(ref.endpointId);
    return change ? await viewOfEnd(engine, change) : await viewJob(engine, ref);
  } finally {
    disarm();
    signal.removeEventListener("abort", giveUp);
    unwatch();
  }
}

/** The job after the change that ends it. @throws ServiceError job_not_found */
export async function viewOfEnd(
  engine: StepPort & TimePort & WorkerPort & TellPort & CatalogPort,
  change: JobChange,
): Promise<JobView> {
  const { job } = change;
  if (change.type === "removed") {
    if (change.by === "expiry") throw jobNotFound(job.id);
    return { job, output: undefined };
  }
  if (change.type === "settled" && (change.output || job.status !== "COMPLETED")) {
    return { job, output: change.output };
  }
  return viewJob(engine, { endpointId: job.endpointId, jobId: job.id });
}
