/** Hands waiting jobs to credit that became free outside a transaction: a hand-over undone, or revoked before it was sent. */
import { assignWaiting } from "./assign.ts";
import { commit } from "../commit.ts";
import type { EngineContext } from "../context.ts";

export async function assignFreeCredit(engine: EngineContext, endpointId: string): Promise<void> {
  if (engine.fleet.freeCredit(endpointId) === 0) return;
  await commit(engine, (tx, effects) => assignWaiting(engine, tx, effects, endpointId));
}
