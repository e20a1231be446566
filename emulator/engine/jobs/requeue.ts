/** Returns the jobs of lost workers to the queue. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { Job } from "../../core/jobs/job.ts";
import { apply } from "../steps/apply.ts";
import { assignWaiting } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { retryRules } from "./finish.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** Releases these leases. This is not the jobs' fault and costs them no attempt. Ignores jobs with another lease meanwhile. */
export async function requeueOrphans(
  engine: StepPort & TimePort & WorkerPort,
  running: readonly Job[],
): Promise<void> {
  await engine.steps.commit((step) => {
    for (const { id, lease } of running) {
      const job = step.job(id);
      if (!job || !lease) continue;
      const { token: leaseToken } = lease;
      const event = { type: "hand-back", leaseToken, outcome: "interrupted" } as const;
      apply(step, job, event, engine.clock.now());
    }
    for (const endpointId of step.effects.changedEndpoints) assignWaiting(engine, step, endpointId);
  });
}

/** Ends the leases of a worker that has exited, without waiting for their expiry. */
export async function loseWorker(
  engine: StepPort & TimePort & WorkerPort & CatalogPort,
  worker: WorkerHandle,
  failure: Failure,
): Promise<void> {
  await engine.steps.commit((step) => {
    for (const job of step.runningJobsOf(worker)) {
      if (!job.lease) continue;
      const rules = retryRules(engine, job.endpointId);
      const event = {
        type: "lose-worker",
        leaseToken: job.lease.token,
        failure,
        retryRules: rules,
      } as const;
      apply(step, job, event, engine.clock.now());
    }
    assignWaiting(engine, step, worker.endpointId);
  });
}
