/** Keeps the lease of a job alive while its input is being read: from a bucket this may take longer than a lease. */
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { Assignment } from "../steps/effects.ts";
import { apply } from "../steps/apply.ts";

/** Renews the lease instead of the worker, which does not know of it yet. Returns a function that stops this. */
export function renewWhileReading(
  { clock, lease, realClock, steps }: StepPort & TimePort & WorkerPort,
  { job }: Assignment,
): () => void {
  const { leaseMs, leaseRenewalMs } = lease;
  const leaseToken = job.lease?.token ?? "";
  const renew = () => {
    disarm = realClock.wakeAt(realClock.now() + leaseRenewalMs, renew);
    const renewed = steps.commit((step) => {
      const now = step.job(job.id);
      if (now) apply(step, now, { type: "renew", leaseToken, leaseMs }, clock.now());
    });
    // The lease expires then.
    renewed.catch(() => undefined);
  };
  let disarm = realClock.wakeAt(realClock.now() + leaseRenewalMs, renew);
  return () => disarm();
}
