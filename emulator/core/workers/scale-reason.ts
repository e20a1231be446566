/** Reasons of the scaler's decisions: a closed set with numbers, and the sentence for each. Pure. */

/** Moments are service time, ms. */
export type ScaleReason =
  | { readonly type: "below-minimum"; readonly workersMin: number }
  /** There is no worker. */
  | { readonly type: "first-job" }
  /** The oldest waiting job or request has waited since this moment, longer than `scalerValue` seconds. */
  | { readonly type: "waited"; readonly since: number; readonly scalerValue: number }
  | {
      readonly type: "request-count";
      readonly waiting: number;
      readonly running: number;
      readonly scalerValue: number;
      readonly workers: number;
    }
  | HoldReason
  /** Workers of an earlier version leave. */
  | { readonly type: "new-version"; readonly version: number }
  | { readonly type: "above-maximum"; readonly workersMax: number }
  | { readonly type: "idle"; readonly idleTimeout: number };

/** Why missing or additional workers are not started now. */
export type HoldReason =
  | { readonly type: "at-maximum"; readonly workersMax: number }
  | { readonly type: "after-failure"; readonly until: number }
  | { readonly type: "one-at-a-time" }
  /** A failed worker keeps its place until its process has exited. */
  | { readonly type: "still-ending"; readonly workers: number }
  /** No GPU is free, or no launcher runs the template. */
  | { readonly type: "refused"; readonly reason: string };

const HOLDS: ReadonlySet<ScaleReason["type"]> = new Set<HoldReason["type"]>([
  "at-maximum",
  "after-failure",
  "one-at-a-time",
  "still-ending",
  "refused",
]);

export function isHold({ type }: ScaleReason): boolean {
  return HOLDS.has(type);
}

/** Events of an endpoint that only the passing of time causes. */
export type ScaleDue = "queue-delay" | "idle" | "after-failure" | "try-again";

export interface ScaleDecision {
  /** Service time, ms. */
  readonly at: number;
  readonly start: number;
  /** Ids of the workers that finish their jobs and leave. */
  readonly drain: readonly string[];
  /** Number of starting and ready workers before the decision. */
  readonly workers: number;
  readonly wanted: number;
  /** Reasons for the decision, followed by those that hold it back. */
  readonly reasons: readonly ScaleReason[];
}

/** The reasons of a decision as one sentence in lower case without a full stop. */
export function reasonInWords({ at, reasons }: Pick<ScaleDecision, "at" | "reasons">): string {
  return reasons.map((reason) => inWords(reason, at)).join("; ");
}

/** @param now service time of the decision */
function inWords(reason: ScaleReason, now: number): string {
  switch (reason.type) {
    case "below-minimum":
      return `workersMin asks for ${counted(reason.workersMin, "worker")}`;
    case "first-job":
      return "a job waits, and there is no worker";
    case "waited":
      return `the oldest job has waited for ${seconds(now - reason.since)}, and a worker is added after ${reason.scalerValue} s (scalerValue)`;
    case "request-count": {
      const { waiting, running, scalerValue, workers } = reason;
      return `${waiting} waiting and ${running} running, ${scalerValue} for each worker (scalerValue), make ${counted(workers, "worker")}`;
    }
    case "at-maximum":
      return `held back: workersMax allows ${counted(reason.workersMax, "worker")}`;
    case "after-failure":
      return `held back: a worker failed, and the next one is started in ${seconds(reason.until - now)}`;
    case "one-at-a-time":
      return "held back: a worker failed, and the next ones are started one at a time until one is ready";
    case "still-ending":
      return `held back: ${counted(reason.workers, "failed worker")} must end first`;
    case "refused":
      return `held back: ${reason.reason}`;
    case "new-version":
      return `workers of earlier versions leave: this is version ${reason.version}`;
    case "above-maximum":
      return `workersMax allows only ${counted(reason.workersMax, "worker")}`;
    case "idle":
      return `idle for longer than ${reason.idleTimeout} s (idleTimeout)`;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function seconds(ms: number): string {
  return `${Math.round(Math.max(0, ms) / 100) / 10} s`;
}
