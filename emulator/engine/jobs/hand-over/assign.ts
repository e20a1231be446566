/** Hands waiting jobs to workers that have credit, and sends them: early where that is allowed, else once the hand-over is durable. */
import type { HandOver } from "../../../core/jobs/job-event.ts";
import { PayloadDamagedError } from "../../../store/payload.ts";
import type { Assignment, JobPayloads } from "../../steps/effects.ts";
import type { Step } from "../../steps/step.ts";
import { apply } from "../../steps/apply.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import type { HistoryPort } from "../../observe/tell-port.ts";
import type { LimitPort } from "../../limits/bytes-in-flight.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import { lendInput, SMALL_INPUT_BYTES } from "./lend-input.ts";
import type { WorkerHandle } from "../../workers/worker-handle.ts";

/**
 * Hands over waiting jobs of the endpoint that are in memory, oldest first, as far as its workers have credit. Reads more jobs
 * when few are left in memory.
 */
export function assignWaiting(engine: TimePort & WorkerPort, step: Step, endpointId: string): void {
  for (;;) {
    const job = step.firstWaiting(endpointId, (id) => engine.early.isOnHold(id));
    const worker = job && engine.fleet.freest(endpointId);
    if (!worker) break;
    const now = engine.clock.now();
    const payloads = step.inputOf(job) ?? worker.ahead.take(job.id);
    const event = reserve(engine, worker);
    const handed = apply(step, job, event, now);
    if (handed.result !== "changed") {
      worker.giveBack(event.leaseToken);
      break;
    }
    assign(engine, step, { worker, job: handed.job, payloads });
  }
  if (step.isShortOfWaiting(endpointId)) step.effects.add({ type: "read-ahead", endpointId });
}

export async function assignFreeCredit(
  engine: StepPort & TimePort & WorkerPort,
  endpointId: string,
): Promise<void> {
  if (engine.fleet.freeCredit(endpointId) === 0) return;
  await engine.steps.commit((step) => assignWaiting(engine, step, endpointId));
}

/** Reads waiting jobs of the endpoint into memory while there are any, and hands them to free credit. */
export async function assignFromStore(
  engine: StepPort & TimePort & WorkerPort,
  endpointId: string,
): Promise<void> {
  if (await engine.steps.readAhead(endpointId)) await assignFreeCredit(engine, endpointId);
}

/** Takes a credit of the worker for one hand-over. `assign` or `worker.giveBack` must follow in the step. */
export function reserve(engine: TimePort & WorkerPort, worker: WorkerHandle): HandOver {
  const leaseToken = engine.random.token();
  worker.reserve(leaseToken);
  const { id: workerId, endpointVersion: version, start: workerStart } = worker;
  const { leaseMs } = engine.lease;
  return {
    ...{ type: "hand-over", workerId, leaseToken, leaseMs, version },
    ...(workerStart && { workerStart }),
  };
}

/** Notes that the job goes to the worker, and what follows should the step not be stored. Returns whether it goes early. */
export function assign(
  { early }: WorkerPort,
  step: Step,
  handed: Pick<Assignment, "worker" | "job" | "payloads">,
): boolean {
  const { job, payloads, worker } = handed;
  const isEarly = payloads !== undefined && early.mayLeave(worker);
  const assignment = { ...handed, isEarly };
  step.effects.add({ type: "hand-over", assignment });
  if (isEarly) early.begin(assignment);
  step.onFailure(() => {
    if (isEarly) early.takeBack(assignment);
    else worker.giveBack(job.lease?.token ?? "");
  });
  return isEarly;
}

type SendUses = StepPort & TimePort & WorkerPort & HistoryPort & LimitPort & WakePort;

/** Sends jobs to their workers. Each worker gets its jobs in this order. Payloads that are not in memory are read first. */
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
    void send(engine, assignment, payloads);
  } catch (error) {
    engine.notSent({ ...assignment, cause: error });
  }
}

async function sendLater(
  engine: SendUses,
  assignment: Assignment,
  before: Promise<void> | undefined,
): Promise<void> {
  const { job } = assignment;
  const letGo = renewWhileReading(engine, assignment);
  try {
    await before;
    const { payloads } = assignment;
    if (payloads) void send(engine, assignment, payloads);
    else await sendStored(engine, assignment);
  } catch (error) {
    if (error instanceof PayloadDamagedError) {
      engine.inputDamaged({ jobId: job.id, damage: error });
      return;
    }
    engine.notSent({ ...assignment, cause: error });
  } finally {
    letGo();
  }
}

/** Does nothing if the job was deleted after its hand-over, because its worker need not know of it. */
async function sendStored(engine: SendUses, assignment: Assignment): Promise<void> {
  const stored = await engine.jobPayloads(assignment.job);
  if (stored === undefined) return;
  const { input, s3Config } = stored;
  if (input.sizeBytes > SMALL_INPUT_BYTES) {
    await lendInput(engine, input, (bytes) => send(engine, assignment, { input: bytes, s3Config }));
    return;
  }
  const bytes = await input.bytes();
  if (bytes) void send(engine, assignment, { input: bytes, s3Config });
}

/** Resolves when its payloads no longer need memory. Undefined if they need none now. */
function send(
  engine: StepPort & HistoryPort & WakePort,
  assignment: Assignment,
  payloads: JobPayloads,
): Promise<void> | undefined {
  const { worker, job } = assignment;
  const { ownership, spans } = engine;
  if (!job.lease) return undefined;
  // While the payloads were read, or this process stood still, another process may have handed the job to another worker.
  // Otherwise the job is put back.
  if (!ownership.owns(job.endpointId) && !ownership.isLeaving(job.endpointId)) {
    engine.notSent({ ...assignment, payloads });
    return undefined;
  }
  if (assignment.isEarly) spans?.begin(job);
  const traceparent = spans ? spans.traceparentOf(job) : job.traceparent;
  return worker.handOver({
    jobId: job.id,
    leaseToken: job.lease.token,
    attempt: job.attempt,
    input: payloads.input,
    ...(payloads.inputIsAhead && { inputIsAhead: true }),
    executionTimeoutMs: job.executionTimeoutMs,
    ...(payloads.s3Config ? { s3Config: payloads.s3Config } : {}),
    ...(job.webhook === undefined ? {} : { webhook: job.webhook }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}

/**
 * Renews the lease of a job while its input is read, because the worker does not know of it yet. From a bucket this may take
 * longer than a lease. Returns a function that stops this.
 */
function renewWhileReading(
  { clock, lease, realClock, steps }: StepPort & TimePort & WorkerPort,
  { job }: Assignment,
): () => void {
  const { leaseMs, leaseRenewalMs } = lease;
  const leaseToken = job.lease?.token ?? "";
  const renew = () => {
    disarm = realClock.wakeAt(realClock.now() + leaseRenewalMs, renew);
    const renewed = steps.commit((step) => {
      const now = step.job(job.id);
      if (now) apply(step, now, { type: "renew", leaseToken, leaseMs }, clock.now());
    });
    // The lease expires then.
    renewed.catch(() => undefined);
  };
  let disarm = realClock.wakeAt(realClock.now() + leaseRenewalMs, renew);
  return () => disarm();
}
