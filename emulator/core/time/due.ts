/** What happens at a moment of service time by the passing of time alone, as a value, and the sentence for it. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { dueAt } from "../jobs/job-due.ts";
import type { Job } from "../jobs/job.ts";
import type { ScaleDue } from "../workers/scale-reason.ts";
import type { Delivery } from "../webhooks/delivery.ts";

/** What a timer was set for. */
export type DueNote =
  | { readonly type: "scale"; readonly endpointId: string; readonly dueFor: ScaleDue }
  /** A request that waits is answered as things are then. */
  | { readonly type: "answer"; readonly jobId: string };

export type Due =
  | DueNote
  /** The job is deleted: its time to live runs out, or it was kept long enough. */
  | { readonly type: "deletion"; readonly job: Job }
  /** The service ends the job: its worker had `executionTimeout` and did not. */
  | { readonly type: "overrun"; readonly job: Job }
  /** The first of these leases runs out, unless it is renewed: every few seconds of real time. */
  | { readonly type: "leases"; readonly jobs: number }
  | { readonly type: "webhook"; readonly delivery: Delivery };

export const DUE_KINDS = [
  "scale",
  "answer",
  "deletion",
  "overrun",
  "leases",
  "webhook",
] as const satisfies readonly Due["type"][];

/** Service time, ms. */
export interface DueMoment {
  readonly at: number;
  readonly due: Due;
}

const SCALES: Readonly<Record<ScaleDue, string>> = {
  "queue-delay": "the oldest job has waited for scalerValue, so one more worker is started",
  idle: "a worker has been idle for idleTimeout and leaves",
  "after-failure": "the wait after a worker that failed is over",
  "try-again": "it is tried again to start a worker",
};

/** What it is about: of a job its id, and so on; absent where it is about several. */
export function idsOf(due: Due): { readonly endpointId?: string; readonly id?: string } {
  switch (due.type) {
    case "scale":
      return { endpointId: due.endpointId };
    case "answer":
      return { id: due.jobId };
    case "leases":
      return {};
    case "webhook":
      return { endpointId: due.delivery.endpointId, id: due.delivery.id };
    default:
      return { endpointId: due.job.endpointId, id: due.job.id };
  }
}

/** A sentence in lower case, without a full stop. */
export function dueInWords(due: Due): string {
  switch (due.type) {
    case "scale":
      return `endpoint ${due.endpointId}: ${SCALES[due.dueFor]}`;
    case "answer":
      return `a request that waits for the job ${due.jobId} is answered`;
    case "deletion":
      return `the job ${due.job.id} is deleted: ${whyDeleted(due.job)}`;
    case "overrun":
      return `the job ${due.job.id} is TIMED_OUT: its executionTimeout and the grace after it run out`;
    case "leases":
      return due.jobs === 1
        ? "the lease of the running job runs out, unless its worker renews it"
        : `the first of the leases of ${due.jobs} running jobs runs out, unless its worker renews it`;
    case "webhook": {
      const { jobId, triesLeft } = due.delivery;
      const tried = LIMITS.webhookTries - triesLeft;
      return `the webhook of the job ${jobId} is tried ${tried <= 0 ? "for the first time" : `again (${triesLeft} left)`}`;
    }
  }
}

function whyDeleted(job: Job): string {
  const { status, ttlAt, ttlPinned } = job;
  if (ttlPinned) return "as asked by /status?ttl=";
  return isTerminal(status) && dueAt(job) < ttlAt
    ? `it is ${status}, and is kept no longer`
    : `its time to live runs out, and it is ${status}`;
}
