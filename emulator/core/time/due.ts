/** Events that the passing of service time causes, as values, each with its sentence. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { dueAt } from "../jobs/job-due.ts";
import type { Job } from "../jobs/job.ts";
import type { ScaleDue } from "../workers/scale-reason.ts";
import type { Delivery } from "../webhooks/delivery.ts";

/** Purpose of a timer. */
export type DueNote =
  | { readonly type: "scale"; readonly endpointId: string; readonly dueFor: ScaleDue }
  /** A waiting request is answered with the state of that moment. */
  | { readonly type: "answer"; readonly jobId: string };

export type Due =
  | DueNote
  /** The job is deleted: its time to live or its retention ends. */
  | { readonly type: "deletion"; readonly job: Job }
  /** The service ends the job because the worker did not, after `executionTimeout` and a grace. */
  | { readonly type: "overrun"; readonly job: Job }
  /** The first of these leases runs out, unless its worker renews it, which happens every few seconds of real time. */
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
  "try-again": "another try to start a worker",
};

/** Ids of the subject; empty for several subjects. */
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

/** A sentence in lower case without a full stop. */
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
    ? `it is ${status}, and its retention ends`
    : `its time to live ends, and it is ${status}`;
}
