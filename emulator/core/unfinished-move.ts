/** A data directory that is being moved into a store: the store holds a part of it until that is done. */
import { StoreUnusableError } from "./store-error.ts";

/** The record of the store that is there for as long. */
export const MOVE_ID = "move";

/** What was being moved. */
export interface UnfinishedMove {
  /** Absolute path of the data directory. */
  readonly from: string;
  /** The number of its last batch: one that was used since has another. */
  readonly batch: number;
}

/** @throws StoreUnusableError where a move was begun and not finished */
export function refuseUnfinishedMove(move: UnfinishedMove | undefined): void {
  if (move === undefined) return;
  throw new StoreUnusableError(
    `a move of ${move.from} into this store was not finished; run sv-emulate move again to finish it`,
  );
}
