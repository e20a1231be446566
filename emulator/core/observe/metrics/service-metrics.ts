/** Counts of the service's own work since its start, by endpoint where useful; shown at `/metrics`. */
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import type { RateLimitClass } from "../../../../runtime/protocol/rate-limits.ts";
import { type DeliveryTry, isDelivered } from "../../webhooks/delivery.ts";
import type { ExceededSide } from "../../limits/rate-limit.ts";
import type { Fact, JobMoved } from "../fact.ts";
import { Counts, Distributions } from "./series.ts";

/** Bounds in s, from a turn of the event loop to jobs that wait for a large model. */
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600];
const REQUEST_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10, 30, 90, 300];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const MOVE_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30];
const CALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class ServiceMetrics {
  readonly submitted = new Counts();
  readonly finished = new Counts();
  readonly requeued = new Counts();
  readonly dropped = new Counts();
  readonly queueDelay = new Distributions(JOB_SECONDS);
  readonly execution = new Distributions(JOB_SECONDS);
  readonly workerStarts = new Counts();
  readonly workerEnds = new Counts();
  readonly overLimit = new Counts();
  readonly webhookTries = new Counts();
  readonly webhookTryDuration = new Distributions(CALL_SECONDS);
  readonly webhookDeliveries = new Counts();
  readonly requests = new Counts();
  readonly forwarded = new Counts();
  readonly forwardedWait = new Distributions(MOVE_SECONDS);
  readonly partitionChanges = new Counts();
  readonly takeover = new Distributions(MOVE_SECONDS);
  readonly requestDuration = new Distributions(REQUEST_SECONDS);
  readonly commits = new Distributions(COMMIT_SECONDS);
  readonly commitSteps = new Counts();
  /** Age of the oldest snapshot of the database, ms; undefined without a database. */
  oldestSnapshotMs: number | undefined;
  /** Whether the bucket for large payloads failed last; undefined without a bucket. */
  isBucketFailing: boolean | undefined;
  /** Bytes of the data directory by kind; undefined without one. */
  directoryShare: (() => Promise<ReadonlyMap<string, number> | undefined>) | undefined;

  constructor() {
    // Without labels there is one series, from the beginning.
    this.commitSteps.add({}, 0);
  }

  take(fact: Fact): void {
    switch (fact.type) {
      case "job":
        return this.#jobMoved(fact);
      case "worker-started":
        return this.workerStarts.add({ endpoint: fact.endpointId });
      case "worker-exited":
        return this.workerEnds.add({ endpoint: fact.endpointId, reason: fact.end });
      case "webhook-tried":
        return this.#webhookTried(fact);
      case "stored":
        return this.commitSteps.add({}, fact.steps);
      case "partitions":
        for (const partition of fact.partitions)
          this.partitionChanges.add({ partition: String(partition), change: fact.change });
        for (const ms of fact.unownedMs?.values() ?? []) this.takeover.observe({}, seconds(ms));
        return;
      default:
    }
  }

  #jobMoved({ job, from, to, by }: JobMoved): void {
    const endpoint = job.endpointId;
    if (by === "submit") this.submitted.add({ endpoint });
    else if (to === "IN_QUEUE") this.requeued.add({ endpoint, by });
    if (by === "hand-over") this.queueDelay.observe({ endpoint }, seconds(job.delayTimeMs));
    if (to === null) {
      if (from !== null && !isTerminal(from)) this.dropped.add({ endpoint, by });
      return;
    }
    if (!isTerminal(to)) return;
    this.finished.add({ endpoint, status: to });
    if (from !== "IN_PROGRESS") return;
    this.execution.observe({ endpoint, status: to }, seconds(job.executionTimeMs));
  }

  /** A request was over a rate limit: refused with 429, or let through with a warning. */
  exceededLimit(
    { endpointId: endpoint, limitClass: operation }: OverLimit,
    side: ExceededSide,
    outcome: "refused" | "warned",
  ): void {
    this.overLimit.add({ endpoint, operation, side, outcome });
  }

  #webhookTried({ delivery, made }: Extract<Fact, { readonly type: "webhook-tried" }>): void {
    const { endpointId: endpoint, state } = delivery;
    this.webhookTries.add({ endpoint, result: resultOf(made) });
    this.webhookTryDuration.observe({}, seconds(made.durationMs));
    if (state !== "pending") this.webhookDeliveries.add({ endpoint, state });
  }

  /** @param code HTTP status, or `none` if the client left before there was one */
  requestAnswered(operation: string, code: string, durationMs: number): void {
    this.requests.add({ operation, code });
    this.requestDuration.observe({ operation }, seconds(durationMs));
  }

  /** A request was for another replica: it answered, none could be reached, or the client had gone. */
  requestForwarded(outcome: "answered" | "refused" | "client_gone"): void {
    this.forwarded.add({ outcome });
  }

  /** A request waited for an owner, and has one now. */
  forwardedAfter(waitedMs: number): void {
    this.forwardedWait.observe({}, seconds(waitedMs));
  }

  /** A batch was stored. */
  readonly committed = (durationMs: number): void => {
    this.commits.observe({}, seconds(durationMs));
  };

  /** Forgets the series of other endpoints. */
  retainEndpoints(endpointIds: ReadonlySet<string>): void {
    for (const values of Object.values(this)) {
      if (values instanceof Counts || values instanceof Distributions)
        values.retain("endpoint", endpointIds);
    }
  }
}

interface OverLimit {
  readonly endpointId: string;
  readonly limitClass: RateLimitClass;
}

function resultOf({ status }: DeliveryTry): "delivered" | "refused" | "unanswered" {
  if (status === undefined) return "unanswered";
  return isDelivered(status) ? "delivered" : "refused";
}

function seconds(ms = 0): number {
  return ms / 1_000;
}
