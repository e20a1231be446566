/** Finds the steps to undo when a batch cannot be stored: the refused steps, and the steps that rest on them. */
import type { Waiter } from "./gathered-batch.ts";
import { restingOn } from "./resting-steps.ts";

/** Steps that are not stored, in their order, each with the reason. */
export type Refused = ReadonlyMap<Waiter, unknown>;

export interface Failure {
  readonly reason: unknown;
  /** The steps that are refused for their data, while the rest is stored. Undefined if the whole batch failed. */
  readonly refused: Refused | undefined;
}

/** The refused steps among `steps`, and the steps that rest on them, in their order. */
export function allRefused({ reason, refused }: Failure, steps: readonly Waiter[]): Refused {
  const lost = refused ? restingOn([...refused.keys()], steps) : steps;
  return new Map(lost.map((step) => [step, refused?.get(step) ?? reason]));
}
