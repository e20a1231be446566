/** Begins work for endpoints that this process now owns. */
import type { Gain } from "../../store/ownership.ts";
import { settleVolumeBills } from "../billing/settle-volume-bills.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { Running } from "./running.ts";

/**
 * This process owns the endpoints as soon as the call returns. Resolves when the former owner's running work is settled and
 * billed.
 */
export async function gainEndpoints(
  engine: StepPort & TimePort & TellPort & CatalogPort & WakePort,
  { recoveredJobs, pods, startWork, webhooks }: Running,
  gain: Gain,
): Promise<void> {
  const { clock, directory, dueTimer, endpointChanged, steps, usage } = engine;
  const isGained = engine.ownership.isOf(gain.partitions);
  const hasService = engine.ownership.isServiceOf(gain.partitions);
  steps.memory.gain(gain);
  const settled = startWork.do(() => recoveredJobs.settle(gain.running));
  tellOfJobsLeft(engine);
  dueTimer.aim(clock.now());
  webhooks.gained();
  if (hasService) pods.start();
  for (const { id } of directory.endpoints()) if (isGained(id)) endpointChanged(id);
  await settled;
  await startWork.do(() =>
    usage.load((endpointId) => (endpointId === undefined ? hasService : isGained(endpointId))),
  );
  if (hasService) settleVolumeBills(engine);
}

/** Jobs may wait or run from an earlier run, or from a former owner. */
export function tellOfJobsLeft(engine: StepPort & CatalogPort & TellPort): void {
  const { directory, ownership, steps, tell } = engine;
  for (const { id: endpointId } of directory.endpoints()) {
    if (!ownership.holds(endpointId)) continue;
    const depth = steps.countsNow(endpointId);
    if (depth.inQueue + depth.inProgress > 0) tell({ type: "jobs-left", endpointId, depth });
  }
}
