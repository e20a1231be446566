/** Hands waiting jobs to workers that have credit, and sends them once the hand-over is durable. */
import type { HandOver } from "../../core/jobs/job-event.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import type { Effects, Assignment, JobPayloads } from "../effects.ts";
import type { Step } from "../step.ts";
import { apply } from "./apply.ts";
import type { Uses } from "../context.ts";
import { keepLease } from "./keep-lease.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/**
 * Hands over as many waiting jobs of the endpoint as its workers have credit for and memory has, oldest first. When few are
 * left there, more are read.
 */
export function assignWaiting(
  engine: Uses<"clock" | "fleet" | "lease" | "random">,
  step: Step,
  endpointId: string,
): void {
  for (;;) {
    const job = step.firstWaiting(endpointId);
    const worker = job && engine.fleet.freest(endpointId);
    if (!worker) break;
    const now = engine.clock.now();
    const payloads = step.inputOf(job);
    const handed = apply(step, job, reserve(engine, step.effects, worker), now);
    if (handed.result !== "changed") break;
    step.effects.assignments.push({ worker, job: handed.job, payloads });
  }
  if (step.isShortOfWaiting(endpointId)) step.effects.shortQueues.add(endpointId);
}

/** Takes a credit of the worker for one hand-over, given back should the step not be stored. */
export function reserve(
  engine: Uses<"lease" | "random">,
  effects: Effects,
  worker: WorkerHandle,
): HandOver {
  const leaseToken = engine.random.token();
  worker.reserve(leaseToken);
  effects.onFailure(() => worker.giveBack(leaseToken));
  const { id: workerId, endpointVersion: version, start: workerStart } = worker;
  const { leaseMs } = engine.lease;
  return {
    ...{ type: "hand-over", workerId, leaseToken, leaseMs, version },
    ...(workerStart && { workerStart }),
  };
}

type SendUses = Uses<
  | "clock"
  | "inputDamaged"
  | "jobPayloads"
  | "notSent"
  | "lease"
  | "log"
  | "ownership"
  | "realClock"
  | "spans"
  | "steps"
>;

/** Sends jobs to their workers, to each in this order; payloads that are not at hand are read first. */
export function sendAssignments(engine: SendUses, assignments: readonly Assignment[]): void {
  const unsent = new Map<WorkerHandle, Promise<void>>();
  for (const assignment of assignments) {
    const { payloads, worker } = assignment;
    const before = unsent.get(worker);
    if (!payloads || before) unsent.set(worker, sendLater(engine, assignment, before));
    else sendNow(engine, assignment, payloads);
  }
}

function sendNow(engine: SendUses, assignment: Assignment, payloads: JobPayloads): void {
  try {
    send(engine, assignment, payloads);
  } catch (error) {
    const message = "a job cannot be sent to its worker; it goes to the end of its queue";
    engine.log.error({ jobId: assignment.job.id, err: error }, message);
    engine.notSent(assignment);
  }
}

async function sendLater(
  engine: SendUses,
  assignment: Assignment,
  before: Promise<void> | undefined,
): Promise<void> {
  const { job } = assignment;
  const read = assignment.payloads ?? engine.jobPayloads(job);
  const letGo = keepLease(engine, assignment);
  try {
    const [payloads] = await Promise.all([read, before]);
    if (payloads) send(engine, assignment, payloads);
  } catch (error) {
    if (error instanceof PayloadDamagedError) {
      engine.inputDamaged({ jobId: job.id, damage: error });
      return;
    }
    const message = "the input of a job cannot be read; it goes to the end of its queue";
    engine.log.error({ jobId: job.id, err: error }, message);
    engine.notSent(assignment);
  } finally {
    letGo();
  }
}

function send(
  engine: Uses<"notSent" | "ownership" | "spans">,
  assignment: Assignment,
  payloads: JobPayloads,
): void {
  const { worker, job } = assignment;
  const { ownership, spans } = engine;
  if (!job.lease) return;
  // While its payloads were read, or this process stood still, another one may have given it to another worker. If none has, it is
  // put back.
  if (!ownership.owns(job.endpointId) && !ownership.isLeaving(job.endpointId)) {
    engine.notSent({ ...assignment, payloads });
    return;
  }
  const traceparent = spans ? spans.traceparentOf(job) : job.traceparent;
  worker.handOver({
    jobId: job.id,
    leaseToken: job.lease.token,
    attempt: job.attempt,
    input: payloads.input,
    executionTimeoutMs: job.executionTimeoutMs,
    ...(payloads.s3Config ? { s3Config: payloads.s3Config } : {}),
    ...(job.webhook === undefined ? {} : { webhook: job.webhook }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}
