/** Takes the outcome of a job from its worker: the job ends, or returns to the queue. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { Outcome } from "../../../runtime/protocol/outcome.ts";
import type { OutcomeReport } from "../../../runtime/protocol/session.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { DEFAULT_RETRY_RULES, type RetryRules } from "../../core/jobs/job.ts";
import type { Payload } from "../../store/payload.ts";
import type { Step } from "../steps/step.ts";
import { apply } from "../steps/apply.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** True if the outcome was accepted under its lease, or repeats an accepted one; false for an outdated lease. */
export function finish(
  engine: TimePort & CatalogPort,
  step: Step,
  worker: WorkerHandle,
  report: OutcomeReport,
  output: Payload | undefined,
): boolean {
  const job = step.job(report.jobId);
  if (!job) return false;
  const rules = retryRules(engine, job.endpointId);
  const nextQueueKey =
    rules.handlerError > 0 && report.outcome.kind === "failed" ? step.nextSeq() : 0;
  const event = eventOf(report.leaseToken, report.outcome, worker.id, rules, nextQueueKey);
  if (!event) return false;
  const { result } = apply(step, job, event, engine.clock.now(), output);
  return result === "changed" || result === "unchanged";
}

/** The endpoint's retry rules, or the defaults after its deletion. */
export function retryRules(engine: CatalogPort, endpointId: string): RetryRules {
  return engine.directory.findEndpoint(endpointId)?.retries ?? DEFAULT_RETRY_RULES;
}

function eventOf(
  leaseToken: string,
  outcome: Outcome,
  workerId: string,
  rules: RetryRules,
  nextQueueKey: number,
): JobEvent | undefined {
  const reportOf = (failure: Failure): Failure => ({ ...failure, workerId });
  switch (outcome.kind) {
    case "completed":
      return { type: "complete", leaseToken };
    case "failed":
      return {
        type: "fail",
        leaseToken,
        failure: reportOf(outcome.failure),
        retryRules: rules,
        nextQueueKey,
      };
    case "timed-out":
      return { type: "time-out", leaseToken, failure: reportOf(outcome.failure) };
    case "lost":
      return {
        type: "lose-worker",
        leaseToken,
        failure: reportOf(outcome.failure),
        retryRules: rules,
      };
    case "handed-back":
      return { type: "hand-back", leaseToken };
    case "stopped":
      return undefined;
  }
}
