/** Answers the greeting of a worker: named jobs go on, and unnamed ones never arrived. */
import type { Hello, ServiceOrders } from "../../../../runtime/protocol/session.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../worker-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import { apply } from "../../steps/apply.ts";
import type { Step } from "../../steps/step.ts";
import type { WorkerHandle } from "../worker-handle.ts";

/**
 * Returns jobs that never arrived at the worker to the queue; resolves when that is durable, with the answer for the worker.
 */
export async function welcomed(
  { clock, early, lease, steps, tell }: StepPort & TimePort & WorkerPort & TellPort,
  worker: WorkerHandle,
  hello: Hello,
): Promise<ServiceOrders> {
  const held = new Set(hello.held.map(({ leaseToken }) => leaseToken));
  for (const each of hello.held) worker.hold(each);
  const handBack = (step: Step) => {
    const tokens: string[] = [];
    for (const job of step.runningJobsOf(worker)) {
      if (!job.lease) continue;
      const { token: leaseToken } = job.lease;
      if (held.has(leaseToken)) {
        tell({ type: "job-named", job });
        continue;
      }
      const event = { type: "hand-back", leaseToken, outcome: "undelivered" } as const;
      apply(step, job, event, clock.now());
      tokens.push(leaseToken);
    }
    return tokens;
  };
  const lost = await steps.commit(handBack, { hasTime: true });
  for (const token of lost) worker.release(token, clock.now());
  const { endpointId, id: workerId, life, namesItsJobs, pendingReload: reload } = worker;
  // The worker may have missed the order to leave. A worker that the service started also gets it at its process.
  const drain = namesItsJobs && life.phase === "draining";
  const welcome = { workerId, endpointId, ...lease };
  return {
    welcome,
    revocations: early.named(worker, hello.held),
    drain,
    ...(reload && { reload }),
  };
}
