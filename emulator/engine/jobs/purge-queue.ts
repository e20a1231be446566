/** `/purge-queue`: removes every job of an endpoint that still waits. */
import { apply } from "./apply.ts";
import type { Uses } from "../context.ts";

/** Jobs deleted in one transaction, so that a long queue does not hold up everybody else. */
const BATCH = 500;

/**
 * Deletes the jobs that wait now and answers how many those were; running jobs and later submissions are untouched.
 *
 * @throws ServiceError endpoint_not_found
 */
export async function purgeQueue(
  engine: Uses<"clock" | "directory" | "steps">,
  endpointId: string,
): Promise<number> {
  engine.directory.queue(endpointId);
  const lastKey = await engine.steps.commit((tx) => tx.nextSeq());
  let removed = 0;
  for (;;) {
    const batch = await engine.steps.commit(async (tx, effects) => {
      const jobs = await tx.waitingJobs(endpointId, BATCH);
      const present = jobs.filter((job) => job.queueKey < lastKey);
      for (const job of present)
        await apply(tx, effects, job, { type: "purge" }, engine.clock.now());
      return present.length;
    });
    removed += batch;
    if (batch < BATCH) return removed;
  }
}
