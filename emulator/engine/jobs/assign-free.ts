/** Hands waiting jobs to credit that became free outside of a transaction: a hand-over undone, or revoked before it was sent. */
import { assignWaiting } from "./assign.ts";
import type { Uses } from "../context.ts";

export async function assignFreeCredit(
  engine: Uses<"clock" | "fleet" | "lease" | "random" | "steps">,
  endpointId: string,
): Promise<void> {
  if (engine.fleet.freeCredit(endpointId) === 0) return;
  await engine.steps.commit((tx, effects) => assignWaiting(engine, tx, effects, endpointId));
}
