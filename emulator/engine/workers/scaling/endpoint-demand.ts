/** The demand of an endpoint, as the scaler counts it. */
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { scalingJobs } from "../../../core/jobs/job-counts.ts";
import type { Demand } from "../../../core/workers/scaler.ts";
import { assignFreeCredit } from "../../jobs/hand-over/assign.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../worker-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";

/** Jobs that a worker can take at once are handed over first, so that they cause no scaling. */
export async function demandOf(
  engine: StepPort & TimePort & WorkerPort & CatalogPort,
  endpointId: string,
): Promise<Demand> {
  const { balancer, directory, steps } = engine;
  const endpoint = directory.findEndpoint(endpointId);
  if (endpoint?.type === "LOAD_BALANCING") return balancer.demand(endpointId);
  if ((await steps.counts(endpointId)).inQueue > 0) await assignFreeCredit(engine, endpointId);
  const demand = scalingJobs(await steps.counts(endpointId));
  const needsSince = demand.waiting > 0 && endpoint?.scalerType !== "REQUEST_COUNT";
  return {
    ...demand,
    waitingSince: needsSince ? await oldestSince(engine, endpointId) : undefined,
  };
}

/** The demand as far as it is in memory. `waitingSince` may be missing, and some of the demand may not be durable. */
export function demandNow(
  { balancer, steps }: StepPort & WorkerPort,
  { id, type }: Endpoint,
): Demand {
  if (type === "LOAD_BALANCING") return balancer.demand(id);
  return { ...scalingJobs(steps.countsNow(id)), waitingSince: steps.waitingSince(id) };
}

async function oldestSince({ steps }: StepPort, endpointId: string) {
  const since = steps.waitingSince(endpointId);
  return since ?? steps.read((reads) => reads.oldestScalingQueuedAt(endpointId));
}
