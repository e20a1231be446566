/** Assembles the body of a webhook call from the payloads that it shares with its job. */
import { deliveryPieces } from "../../core/webhooks/delivery.ts";
import type { Piece, ShownPayload } from "../../core/jobs/opened-payload.ts";
import { PayloadDamagedError, type StoredPayload, type StoreView } from "../../store/store.ts";
import { showBoth } from "../jobs/read/show-payload.ts";

/** Every job has an input; should it be lost, the rest is still worth telling. */
const EMPTY_INPUT = new TextEncoder().encode("{}");

/** A job that has an output is not told of with an input that it did not have. */
function toldWithout(output: StoredPayload | undefined) {
  return (error: unknown): { input: undefined; output: undefined } => {
    if (error instanceof PayloadDamagedError && output === undefined)
      return { input: undefined, output: undefined };
    throw error;
  };
}

/** Undefined if the delivery is kept no longer. What is opened of it is the caller's to dispose of. */
export async function deliveryBody(
  view: StoreView,
  seq: number,
): Promise<readonly Piece[] | undefined> {
  const stored = [await view.payload(seq, "input"), await view.payload(seq, "output")] as const;
  // Asked for last: it is there only if the payloads were.
  const frame = await view.deliveries.frame(seq);
  if (frame === undefined) return undefined;
  const { input = EMPTY_INPUT, output } = await showBoth(...stored).catch(toldWithout(stored[1]));
  return deliveryPieces<ShownPayload>(frame, input, output);
}
