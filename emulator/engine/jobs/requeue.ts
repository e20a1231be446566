/** Puts the jobs of workers that are gone back into the queue. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { apply } from "./apply.ts";
import { assignWaiting } from "./assign.ts";
import type { Uses } from "../context.ts";
import { retryRules } from "./finish.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/**
 * To be called once at start: workers are the emulator's own children and end with it, so a lease of an earlier run is
 * nobody's. That is no fault of the job and costs it no attempt.
 */
export async function requeueOrphans(engine: Uses<"clock" | "steps">): Promise<void> {
  await engine.steps.commit((step) => {
    for (const job of step.runningJobs()) {
      if (!job.lease) continue;
      const { token: leaseToken } = job.lease;
      const event = { type: "hand-back", leaseToken, outcome: "interrupted" } as const;
      apply(step, job, event, engine.clock.now());
    }
  });
}

/** Ends the leases of a worker whose process is gone, without waiting for them to run out. */
export async function loseWorker(
  engine: Uses<"clock" | "directory" | "fleet" | "lease" | "random" | "steps">,
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
