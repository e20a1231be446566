/**
 * Returns unsent jobs to the queue after their hand-over: their input is in an unreachable bucket, or their endpoint might have
 * moved.
 */
import { pause } from "../../core/time/pause.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { Assignment } from "../steps/effects.ts";
import { apply } from "../steps/apply.ts";
import { assignFreeCredit, assignWaiting } from "./hand-over/assign.ts";

/** Interval between two requests to a bucket that refuses at once, ms. */
const PAUSE_MS = 1_000;

/**
 * After a pause the job returns to the queue, without counting an attempt, and its worker takes another one. A job with an
 * unreadable input goes to the end of its queue, any other job to its old place.
 */
export async function putBackUnsent(
  engine: StepPort & TimePort & WorkerPort & TellPort,
  { job, worker, payloads, cause }: Assignment,
): Promise<void> {
  if (cause !== undefined) {
    const message = "a job cannot be sent to its worker; it goes to the end of its queue";
    engine.log.error({ jobId: job.id, err: cause }, message);
  }
  const { clock, realClock, steps } = engine;
  const leaseToken = job.lease?.token ?? "";
  await pause(realClock, PAUSE_MS);
  await steps.commit((step) => {
    const now = step.job(job.id);
    if (now?.lease?.token !== leaseToken) return;
    const place = payloads && cause === undefined ? {} : { nextQueueKey: step.nextSeq() };
    const event = { type: "hand-back", leaseToken, outcome: "undelivered", ...place } as const;
    apply(step, now, event, clock.now());
    assignWaiting(engine, step, job.endpointId);
  });
  worker.giveBack(leaseToken);
  await assignFreeCredit(engine, job.endpointId);
}
