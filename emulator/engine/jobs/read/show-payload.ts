/** Reads payloads from the store for clients and operators. */
import { Buffer } from "node:buffer";
import {
  areInHand,
  closePieces,
  isInHand,
  type Piece,
  type PieceInHand,
  type ShownPayload,
} from "../../../core/jobs/opened-payload.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { PayloadGoneError, type ReadablePayload } from "../../../store/payload.ts";
import type { StoreReads } from "../../../store/store.ts";

/**
 * The output of a job, or the last progress value while it runs. Job and output are read one after the other: between them the
 * job may have ended, been retried or been deleted.
 * @throws PayloadGoneError if `job` and the output are of different moments
 */
export async function storedOutput(
  view: StoreReads,
  job: Job,
): Promise<ReadablePayload | undefined> {
  const output = await view.payload(job.seq, "output");
  // Usually only a completed job has an output: the two match without another question.
  if ((output !== undefined) === (job.status === "COMPLETED")) return output;
  const now = await view.job(job.id);
  // Chunks and renewals change a running job all the time, and do not matter here.
  if (now?.status !== job.status || now.attempt !== job.attempt)
    throw new PayloadGoneError("the job has changed since it was read");
  return output;
}

/** Size from which payloads are opened instead of read. */
const IN_HAND_MAX_BYTES = 256_000;

/**
 * Call it within the question that found the payload, which is repeated if the payload is gone. The caller disposes of an
 * opened one.
 * @throws PayloadGoneError
 */
export async function showPayload(
  payload: ReadablePayload | undefined,
): Promise<ShownPayload | undefined> {
  if (payload === undefined) return undefined;
  const isSmall = payload.sizeBytes < IN_HAND_MAX_BYTES;
  const shown = await (isSmall ? payload.bytes() : payload.open());
  if (shown === undefined) throw new PayloadGoneError("the payload is not stored any more");
  return shown;
}

/** Reads two payloads of a job: if the second one fails, the first is closed. */
export async function showBoth(
  input: ReadablePayload | undefined,
  output: ReadablePayload | undefined,
): Promise<{ input: ShownPayload | undefined; output: ShownPayload | undefined }> {
  const shownInput = await showPayload(input);
  try {
    return { input: shownInput, output: await showPayload(output) };
  } catch (error) {
    await closePieces([shownInput]);
    throw error;
  }
}

/** The payloads in memory. Disposes of opened ones. */
export async function piecesInHand(pieces: readonly Piece[]): Promise<readonly PieceInHand[]> {
  if (areInHand(pieces)) return pieces;
  const inHand: PieceInHand[] = [];
  for (const piece of pieces) inHand.push(isInHand(piece) ? piece : await wholePayload(piece));
  return inHand;
}

/** The whole payload in memory from `allocate`; an opened one is then disposed of. */
export async function wholePayload(
  payload: ShownPayload,
  allocate: (sizeBytes: number) => Uint8Array = (sizeBytes) => Buffer.allocUnsafeSlow(sizeBytes),
): Promise<Uint8Array> {
  if (payload instanceof Uint8Array) return payload;
  await using opened = payload;
  const whole = allocate(opened.sizeBytes);
  let size = 0;
  for await (const slice of opened.slices()) {
    whole.set(slice, size);
    size += slice.byteLength;
  }
  return whole;
}
