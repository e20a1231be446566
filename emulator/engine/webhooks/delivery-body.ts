/** Assembles the body of a webhook call from payloads that it shares with its job. */
import { deliveryPieces } from "../../core/webhooks/delivery.ts";
import type { Piece, ShownPayload } from "../../core/jobs/opened-payload.ts";
import { PayloadDamagedError, type ReadablePayload } from "../../store/payload.ts";
import type { StoreReads } from "../../store/store.ts";
import { showBoth } from "../jobs/read/show-payload.ts";

/** Every job has an input; if it is lost, the delivery is sent without it. */
const EMPTY_INPUT = new TextEncoder().encode("{}");

/** A damaged input is left out; but a delivery with an output is not sent without its input. */
function withoutDamaged(output: ReadablePayload | undefined) {
  return (error: unknown): { input: undefined; output: undefined } => {
    if (error instanceof PayloadDamagedError && output === undefined)
      return { input: undefined, output: undefined };
    throw error;
  };
}

/** Undefined after the retention of the delivery. The caller disposes of opened payloads. */
export async function deliveryBody(
  view: StoreReads,
  seq: number,
): Promise<readonly Piece[] | undefined> {
  const stored = [await view.payload(seq, "input"), await view.payload(seq, "output")] as const;
  // Read last: if the delivery exists, its payloads existed too.
  const frame = await view.deliveries.frame(seq);
  if (frame === undefined) return undefined;
  const { input = EMPTY_INPUT, output } = await showBoth(...stored).catch(
    withoutDamaged(stored[1]),
  );
  return deliveryPieces<ShownPayload>(frame, input, output);
}
