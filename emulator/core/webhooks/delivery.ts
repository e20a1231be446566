/** A delivery: the webhook call that tells a receiver how a job ended, its tries and when the next one is due. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { type JobFrame, jobFrame } from "../jobs/job-body.ts";
import type { DialectName, Job } from "../jobs/job.ts";
import { liveJobFrame } from "../jobs/live-job-body.ts";
import type { ShownPayload } from "../jobs/opened-payload.ts";

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

/** `pending`: tries are left. `delivered`: the receiver answered with 2xx. `failed`: no try is left. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One call of the receiver: it has the `status` of the answer, or the `error` for which there was none. */
export interface DeliveryTry {
  /** When it began, service time, ms. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number;
  /** A sentence; holds nothing of the URL but its host. */
  readonly error?: string;
  /** What the receiver should do otherwise, though the call counts as delivered. */
  readonly warning?: string;
}

/** All instants are service time, ms since the epoch. */
export interface Delivery {
  /** Ascending integer key, of one sequence with those of jobs. Its share of the job's payloads is stored under it. */
  readonly seq: number;
  /** The `webhook-id` of all its tries. */
  readonly id: string;
  readonly jobId: string;
  readonly endpointId: string;
  /** How the job ended. */
  readonly jobStatus: JobStatus;
  readonly url: string;
  /** Scheme, host and port of the URL: calls to one origin are limited. */
  readonly origin: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** Undefined when it is settled, or waits for an earlier delivery of its job to be. */
  readonly nextTryAt: number | undefined;
  /** When it was delivered or failed. */
  readonly settledAt: number | undefined;
  readonly triesLeft: number;
  /** The newest ones, oldest first. */
  readonly tries: readonly DeliveryTry[];
  /** The headers of the last try; undefined before the first. */
  readonly sentHeaders: Readonly<Record<string, string>> | undefined;
  /** About how large the body is. */
  readonly sizeBytes: number;
  /** W3C `traceparent` of what the job was submitted with. */
  readonly traceparent: string | undefined;
}

/** Which deliveries a list is to have; what is absent does not matter. */
export interface DeliveryFilter {
  readonly jobId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

/** How much is kept of what is settled. */
export interface KeptDeliveries {
  /** Those settled before go. */
  readonly settledFrom: number;
  readonly maxCount: number;
  /** Of all bodies together. */
  readonly maxBytes: number;
}

/** Beside a few rounds of redelivery nothing is worth keeping. */
const KEPT_TRIES = 30;

/**
 * The delivery a job's end makes. `seq` is a fresh key; `isFirst` is false when an earlier delivery of the job may still be
 * pending, for those of one job are made in order.
 */
export function newDelivery(
  job: Job & { readonly webhook: string },
  { seq, isFirst }: Pick<Delivery, "seq"> & { readonly isFirst: boolean },
  now: number,
): Omit<Delivery, "sizeBytes"> {
  return {
    seq,
    // A job that ends again was retried in between, and that counts.
    id: `msg_${job.id}_${job.retries}`,
    jobId: job.id,
    endpointId: job.endpointId,
    jobStatus: job.status,
    url: job.webhook,
    origin: new URL(job.webhook).origin,
    state: "pending",
    createdAt: now,
    nextTryAt: isFirst ? now : undefined,
    settledAt: undefined,
    triesLeft: LIMITS.webhookTries,
    tries: [],
    sentHeaders: undefined,
    traceparent: job.traceparent,
  };
}

/** Whether a receiver that answers so has taken the call. */
export function isDelivered(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** The delivery after a try that ended at `now`. */
export function afterTry(
  delivery: Delivery,
  made: DeliveryTry,
  sentHeaders: Readonly<Record<string, string>>,
  now: number,
): Delivery {
  const { status } = made;
  const hasArrived = status !== undefined && isDelivered(status);
  const triesLeft = delivery.triesLeft - 1;
  const noted = hasArrived && status !== 200 ? { ...made, warning: notQuite(status) } : made;
  const tried = {
    ...delivery,
    triesLeft,
    tries: [...delivery.tries, noted].slice(-KEPT_TRIES),
    sentHeaders,
  };
  if (!hasArrived && triesLeft > 0) {
    return { ...tried, nextTryAt: now + LIMITS.webhookRetryDelayMs };
  }
  const state = hasArrived ? "delivered" : "failed";
  return { ...tried, state, nextTryAt: undefined, settledAt: now };
}

/** A delivery that may be tried from now on: a settled one anew, or one whose predecessor is settled. */
export function dueAgain(delivery: Delivery, now: number): Delivery {
  if (delivery.state === "pending") return { ...delivery, nextTryAt: now };
  return {
    ...delivery,
    state: "pending",
    nextTryAt: now,
    settledAt: undefined,
    triesLeft: LIMITS.webhookTries,
  };
}

/** What of the settled deliveries is kept at `now`. */
export function keptDeliveries(now: number): KeptDeliveries {
  return {
    settledFrom: now - LIMITS.webhookKeptMs,
    maxCount: LIMITS.webhookKeptCount,
    maxBytes: LIMITS.webhookKeptBytes,
  };
}

const JOB_FRAMES: Readonly<Record<DialectName, (job: Job) => JobFrame>> = {
  contract: jobFrame,
  live: liveJobFrame,
};

/** The texts of the body around the job's payloads; the head ends where the output may stand, the tail where the input does. */
export function deliveryFrame(job: Job & { readonly webhook: string }): JobFrame {
  const { head, tail } = JOB_FRAMES[job.dialect](job);
  return { head, tail: `${tail},"webhook":${JSON.stringify(job.webhook)},"input":` };
}

/** The whole body: the job as `/status` of its dialect shows it, with `webhook` and `input`. */
export function deliveryPieces<P extends ShownPayload>(
  { head, tail }: JobFrame,
  input: P,
  output: P | undefined,
): readonly (string | P)[] {
  if (output === undefined) return [head + tail, input, "}"];
  return [`${head},"output":`, output, tail, input, "}"];
}

function notQuite(status: number): string {
  return `the receiver answered ${status}; it should answer 200`;
}
