/** Hands waiting jobs to workers that have credit, and sends them once the hand-over is durable. */
import type { HandOver } from "../../core/jobs/job-event.ts";
import type { Job } from "../../core/jobs/job.ts";
import { PayloadDamagedError, type StoreTransaction } from "../../store/store.ts";
import type { Effects, Assignment, JobPayloads } from "../effects.ts";
import { apply } from "./apply.ts";
import type { Uses } from "../context.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** Hands over as many waiting jobs of the endpoint as its workers have credit for, oldest first. */
export async function assignWaiting(
  engine: Uses<"clock" | "fleet" | "lease" | "random">,
  tx: StoreTransaction,
  effects: Effects,
  endpointId: string,
): Promise<void> {
  const credit = engine.fleet.freeCredit(endpointId);
  if (credit === 0) return;
  const { inQueue } = await tx.counts(endpointId);
  if (inQueue === 0) return;
  for (const job of await tx.waitingJobs(endpointId, Math.min(credit, inQueue))) {
    const worker = engine.fleet.freest(endpointId);
    if (!worker) return;
    const now = engine.clock.now();
    const handed = await apply(tx, effects, job, reserve(engine, effects, worker), now);
    if (handed.result === "changed")
      effects.assignments.push({ worker, job: handed.job, payloads: undefined });
  }
}

/** Takes a credit of the worker for one hand-over, given back should the transaction fail. */
export function reserve(
  engine: Uses<"lease" | "random">,
  effects: Effects,
  worker: WorkerHandle,
): HandOver {
  const leaseToken = engine.random.token();
  worker.reserve(leaseToken);
  effects.onFailure(() => worker.giveBack(leaseToken));
  return { type: "hand-over", workerId: worker.id, leaseToken, leaseMs: engine.lease.leaseMs };
}

/** Sends the job to its worker; payloads that are not at hand are read first. */
export function sendAssignment(
  engine: Uses<"inputDamaged" | "log" | "spans" | "store">,
  assignment: Assignment,
): void {
  if (assignment.payloads) {
    send(engine, assignment, assignment.payloads);
    return;
  }
  readPayloads(engine, assignment.job).then(
    (payloads) => {
      if (payloads) send(engine, assignment, payloads);
    },
    (error: unknown) => {
      if (error instanceof PayloadDamagedError) {
        engine.inputDamaged({ jobId: assignment.job.id, damage: error });
        return;
      }
      engine.log.error(
        { jobId: assignment.job.id, err: error },
        "the input of a job could not be read; its lease will run out",
      );
    },
  );
}

/** Undefined if the job has been deleted since it was handed over: then its worker need not hear of it. */
async function readPayloads({ store }: Uses<"store">, job: Job): Promise<JobPayloads | undefined> {
  return store.read(async (view) => {
    const input = await view.payload(job.seq, "input");
    if (!input) {
      if ((await view.job(job.id)) === undefined) return undefined;
      throw new PayloadDamagedError(
        { seq: job.seq, slot: "input" },
        "is missing from the database",
      );
    }
    const s3Config = await view.payload(job.seq, "s3Config");
    return { input: await input.bytes(), s3Config: await s3Config?.bytes() };
  });
}

function send(engine: Uses<"spans">, { worker, job }: Assignment, payloads: JobPayloads): void {
  if (!job.lease) return;
  const traceparent = engine.spans ? engine.spans.traceparentOf(job) : job.traceparent;
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
