/** The next events that the passing of service time causes. */
import { dueAt } from "../../core/jobs/job-due.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { DueMoment } from "../../core/time/due.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "./time-port.ts";

/** The earliest first, at most `limit`. */
export async function dueMoments(
  { clock, steps }: StepPort & TimePort,
  limit: number,
): Promise<readonly DueMoment[]> {
  const [jobs, deliveries] = await steps.read((reads) =>
    Promise.all([
      reads.dueJobs(Number.MAX_SAFE_INTEGER, limit),
      reads.deliveries.due(Number.MAX_SAFE_INTEGER, limit, []),
    ]),
  );
  const running = steps.jobsInMemory(({ status }) => status === "IN_PROGRESS");
  const deletions = jobs.map((job) => ({
    at: dueAt(job),
    due: { type: "deletion", job } as const,
  }));
  const webhooks = deliveries.map((delivery) => ({
    at: delivery.nextTryAt ?? clock.now(),
    due: { type: "webhook", delivery } as const,
  }));
  return [...deletions, ...running.map(ofRunning), ...leases(running), ...webhooks, ...clock.noted]
    .toSorted((a, b) => a.at - b.at)
    .slice(0, limit);
}

function ofRunning(job: Job): DueMoment {
  const { ttlAt, lease } = job;
  const overrunAt = lease?.overrunAt ?? Number.POSITIVE_INFINITY;
  return overrunAt < ttlAt
    ? { at: overrunAt, due: { type: "overrun", job } }
    : { at: ttlAt, due: { type: "deletion", job } };
}

/** One entry for all leases: a busy service has many, and they are renewed. */
function leases(running: readonly Job[]): readonly DueMoment[] {
  const ends = running.flatMap(({ lease }) => lease?.expiresAt ?? []);
  if (ends.length === 0) return [];
  return [{ at: Math.min(...ends), due: { type: "leases", jobs: ends.length } }];
}
