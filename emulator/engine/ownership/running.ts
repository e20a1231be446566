/** What of the engine works for endpoints, and has to begin or end when they come or go. */
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
