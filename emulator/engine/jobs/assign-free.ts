/** Hands waiting jobs to credit that became free outside of a step: a hand-over undone, or revoked before it was sent. */
import { assignWaiting } from "./assign.ts";
import type { Uses } from "../parts/engine-parts.ts";

export async function assignFreeCredit(
  engine: Uses<"clock" | "fleet" | "lease" | "random" | "steps">,
  endpointId: string,
): Promise<void> {
  if (engine.fleet.freeCredit(endpointId) === 0) return;
  await engine.steps.commit((step) => assignWaiting(engine, step, endpointId));
}

/** Reads waiting jobs of the endpoint into memory, as long as there are any, and hands them to free credit. */
export async function assignFromStore(
  engine: Uses<"clock" | "fleet" | "lease" | "random" | "steps">,
  endpointId: string,
): Promise<void> {
  if (await engine.steps.readAhead(endpointId)) await assignFreeCredit(engine, endpointId);
}
