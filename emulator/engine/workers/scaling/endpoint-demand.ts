/** The demand of an endpoint, as the scaler counts it. */
import type { Demand } from "../../../core/workers/scaler.ts";
import { assignFreeCredit } from "../../jobs/assign-free.ts";
import type { Uses } from "../../parts/engine-parts.ts";

/** Jobs that a worker can take at once are handed over first, so that they cause no scaling. */
export async function demandOf(
  engine: Uses<"balancer" | "clock" | "directory" | "fleet" | "lease" | "random" | "steps">,
  endpointId: string,
): Promise<Demand> {
  const endpoint = engine.directory.findEndpoint(endpointId);
  if (endpoint?.type === "LOAD_BALANCING") return engine.balancer.demand(endpointId);
  const { waiting, ...demand } = await readDemand(engine, endpointId);
  if (waiting.all === 0 || engine.fleet.freeCredit(endpointId) === 0)
    return { ...demand, waiting: waiting.scaling };
  await assignFreeCredit(engine, endpointId);
  const now = await readDemand(engine, endpointId);
  return { ...now, waiting: now.waiting.scaling };
}

async function readDemand({ steps }: Uses<"steps">, endpointId: string) {
  const counts = await steps.counts(endpointId);
  const scaling = counts.inQueue - counts.inQueueLowPriority;
  return {
    waiting: { all: counts.inQueue, scaling },
    running: counts.inProgress - counts.inProgressLowPriority,
    waitingSince:
      scaling === 0
        ? undefined
        : await steps.read((reads) => reads.oldestScalingQueuedAt(endpointId)),
  };
}
