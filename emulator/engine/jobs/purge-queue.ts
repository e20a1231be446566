/** `/purge-queue`: removes the waiting jobs of an endpoint, and reports of jobs deleted before. */
import { apply } from "../steps/apply.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";

/** Maximum number of jobs deleted per step, so that a long queue does not delay others. */
const BATCH = 500;

/**
 * Deletes the jobs that wait now and returns their number; running jobs and later submissions stay.
 * @throws ServiceError endpoint_not_found, endpoint_moved
 */
export async function purgeQueue(
  engine: StepPort & TimePort & CatalogPort,
  endpointId: string,
): Promise<number> {
  engine.directory.queue(endpointId);
  const endKey = await engine.steps.commit((step) => {
    step.refuseMoved(endpointId);
    step.removeReports(endpointId);
    return step.nextSeq();
  });
  let removed = 0;
  for (let lastKey = 0; ;) {
    const batch = await engine.steps.commitOn(
      (reads) => reads.waitingJobs(endpointId, lastKey, BATCH),
      (step, jobs, rows) => {
        step.refuseMoved(endpointId);
        const waiting = jobs.filter(
          ({ status, queueKey }) => status === "IN_QUEUE" && queueKey < endKey,
        );
        for (const job of waiting) apply(step, job, { type: "purge" }, engine.clock.now());
        return { removed: waiting.length, last: rows.length < BATCH ? undefined : rows.at(-1) };
      },
    );
    removed += batch.removed;
    if (batch.last === undefined) return removed;
    lastKey = batch.last.queueKey;
  }
}
