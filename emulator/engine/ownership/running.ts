/** Parts of the engine that work for endpoints, and begin or end work when endpoints come or go. */
import type { RecoveredJobs } from "../jobs/recovered-jobs.ts";
import type { PodKeeper } from "../pods/pod-keeper.ts";
import type { StartWork } from "../parts/start-work.ts";
import type { WebhookDelivery } from "../webhooks/deliver-webhooks.ts";
import type { WorkerManager } from "../workers/worker-manager.ts";

export interface Running {
  readonly recoveredJobs: Pick<RecoveredJobs, "settle">;
  readonly workers: Pick<WorkerManager, "abandon" | "consider">;
  readonly pods: Pick<PodKeeper, "killAll" | "start" | "stop">;
  readonly webhooks: Pick<WebhookDelivery, "abandon" | "ended" | "gained">;
  readonly startWork: Pick<StartWork, "do">;
}
