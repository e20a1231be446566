/** Hands waiting jobs to credit that became free outside of a step: after an undone or unsent hand-over. */
import { assignWaiting } from "./assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";

export async function assignFreeCredit(
  engine: StepPort & TimePort & WorkerPort,
  endpointId: string,
): Promise<void> {
  if (engine.fleet.freeCredit(endpointId) === 0) return;
  await engine.steps.commit((step) => assignWaiting(engine, step, endpointId));
}

/** Reads waiting jobs of the endpoint into memory while there are any, and hands them to free credit. */
export async function assignFromStore(
  engine: StepPort & TimePort & WorkerPort,
  endpointId: string,
): Promise<void> {
  if (await engine.steps.readAhead(endpointId)) await assignFreeCredit(engine, endpointId);
}
