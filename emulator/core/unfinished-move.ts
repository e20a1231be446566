/** An unfinished move of a data directory into a store, which holds only a part of it. */
import { StoreUnusableError } from "./store-error.ts";

/** Name of the store's record during the move. */
export const MOVE_ID = "move";

export interface UnfinishedMove {
  /** Absolute path of the data directory. */
  readonly from: string;
  /** Number of its last batch: a directory that was used since has a higher one. */
  readonly batch: number;
}

/** @throws StoreUnusableError for an unfinished move */
export function refuseUnfinishedMove(move: UnfinishedMove | undefined): void {
  if (move === undefined) return;
  throw new StoreUnusableError(
    `a move of ${move.from} into this store was not finished; run sv-emulate move again to finish it`,
  );
}
