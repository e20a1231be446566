/** A delivery: the webhook call about a job's end, with its tries and the time of the next one. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { type JobFrame, jobFrame } from "../jobs/job-body.ts";
import type { DialectName, Job } from "../jobs/job.ts";
import { liveJobFrame } from "../jobs/live-job-body.ts";
import type { ShownPayload } from "../jobs/opened-payload.ts";

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

/** `pending`: tries are left. `delivered`: the receiver answered with 2xx. `failed`: no try is left. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One call of the receiver. It has the `status` of the answer, or the `error` that prevented one. */
export interface DeliveryTry {
  /** Start, service time, ms. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number;
  /** A sentence that shows nothing of the URL but its host. */
  readonly error?: string;
  /** Advice about the answer. */
  readonly warning?: string;
}

/** All instants are service time, ms since the epoch. */
export interface Delivery {
  /** Ascending integer key from the same sequence as those of jobs. Its copy of the job's payloads is stored under it. */
  readonly seq: number;
  /** The `webhook-id` of all its tries. */
  readonly id: string;
  readonly jobId: string;
  readonly endpointId: string;
  readonly jobStatus: JobStatus;
  readonly url: string;
  /** Scheme, host and port of the URL: calls to one origin are limited. */
  readonly origin: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** Undefined for a settled delivery, and while an earlier delivery of the job is not settled. */
  readonly nextTryAt: number | undefined;
  /** Time at which it was delivered or failed. */
  readonly settledAt: number | undefined;
  readonly triesLeft: number;
  /** The newest tries, oldest first. */
  readonly tries: readonly DeliveryTry[];
  /** Headers of the last try; undefined before the first. */
  readonly sentHeaders: Readonly<Record<string, string>> | undefined;
  /** Approximate size of the body. */
  readonly sizeBytes: number;
  /** W3C `traceparent` of the job's submission. */
  readonly traceparent: string | undefined;
}

/** Filter of a list of deliveries; an absent field matches every delivery. */
export interface DeliveryFilter {
  readonly jobId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

export interface KeptDeliveries {
  /** Deliveries settled before this moment are removed. */
  readonly settledFrom: number;
  readonly maxCount: number;
  /** Maximum size of all bodies together. */
  readonly maxBytes: number;
}

/** Maximum number of tries that are kept, enough for a few rounds of redelivery. */
const KEPT_TRIES = 30;

/**
 * The delivery for a job's end. `seq` is a new key. `isFirst` is false if an earlier delivery of the job may be pending:
 * deliveries of one job are made in order.
 */
export function newDelivery(
  job: Job & { readonly webhook: string },
  { seq, isFirst }: Pick<Delivery, "seq"> & { readonly isFirst: boolean },
  now: number,
): Omit<Delivery, "sizeBytes"> {
  return {
    seq,
    // A job that ends again was retried, and `retries` counts that.
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

/** Whether an answer with this status counts as delivered. */
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

/** Makes a delivery due now: a settled one starts over, a pending one continues. */
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

/** The texts around the payloads: the output follows the head, the input follows the tail. */
export function deliveryFrame(job: Job & { readonly webhook: string }): JobFrame {
  const { head, tail } = JOB_FRAMES[job.dialect](job);
  return { head, tail: `${tail},"webhook":${JSON.stringify(job.webhook)},"input":` };
}

/** The whole body: the job as `/status` of its dialect, with `webhook` and `input`. */
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
