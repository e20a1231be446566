/** The double of the live queue as the service of a contract. */
import { LiveQueue } from "../../live-queue/live-queue.ts";
import { newLiveSource } from "../../live-queue/live-source.ts";
import type { QueueJob } from "../../live-queue/queue-job.ts";
import type { JobService } from "./service.ts";

export async function startQueueService(): Promise<JobService> {
  const queue = await LiveQueue.start();
  const found = (id: string): QueueJob => {
    const job = queue.jobs.get(id);
    if (job === undefined) throw new Error(`There is no job ${id}.`);
    return job;
  };
  let workers = 0;
  return {
    newSource: () => {
      workers += 1;
      return newLiveSource(queue, { env: queue.environment(`w-${workers}`) });
    },
    submit: async (input) => queue.submit(input).id,
    jobOf: async (id) => {
      const { isDone, result, error, progress, chunks } = found(id);
      const message = error?.["error_message"];
      return {
        isDone,
        output: isDone ? result?.["output"] : progress.at(-1),
        error: typeof message === "string" ? message : undefined,
        chunks,
      };
    },
    cancel: async (id) => queue.stop(found(id)),
    cut: async () => queue.cut(),
    restore: async () => queue.restore(),
    giveUpSilentJobs: async () => queue.giveUpJobs(),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}
