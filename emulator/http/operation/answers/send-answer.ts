/** Sends an answer of any size: a small one at once, a large one no faster than it is read. */
import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import {
  closePieces,
  isInHand,
  type Piece,
  type PieceInHand,
  sizeOf,
} from "../../../core/jobs/opened-payload.ts";
import {
  COPY_MAX_BYTES,
  joined,
  sendWhole,
  smallBody,
  type WholeAnswer,
  writeHead,
} from "./answer.ts";
import { writeOut } from "./write-with-backpressure.ts";
import type { HttpService } from "../service.ts";
import { takeRoom } from "./reserve-memory.ts";

/**
 * Settles when the answer was sent or its reader has gone. Disposes of opened payloads.
 * @throws ServiceError too_much_in_flight; ClientGoneError; StoreUnusableError
 */
export async function sendAnswer(
  service: HttpService,
  response: ServerResponse,
  answer: WholeAnswer,
): Promise<void> {
  const { pieces } = answer;
  const small = smallBody(pieces);
  if (small !== undefined) {
    const closes = service.stopping && service.isStoppingFor(response.req);
    if (!response.destroyed)
      sendWhole(response, { ...answer, pieces: small.pieces }, closes, small.size);
    return;
  }
  try {
    await takeRoom(service, response, sizeOf(pieces.filter(isInHand)));
    if (response.destroyed) return;
    writeHead(response, answer, sizeOf(pieces), service.isStoppingFor(response.req));
    for await (const slice of slicesOf(pieces)) {
      if (response.destroyed) return;
      await writeSlice(service, response, slice);
    }
    response.end();
  } finally {
    await closePieces(pieces);
  }
}

/** All bytes in order; small pieces are joined, because each slice costs a system call. */
async function* slicesOf(pieces: readonly Piece[]): AsyncGenerator<PieceInHand, void, undefined> {
  let gathered: PieceInHand[] = [];
  let size = 0;
  for (const piece of pieces) {
    size += sizeOf([piece]);
    if (isInHand(piece) && size <= COPY_MAX_BYTES) {
      gathered.push(piece);
      continue;
    }
    if (gathered.length > 0) yield joined(gathered);
    gathered = [];
    size = 0;
    if (isInHand(piece)) yield* partsOf(piece);
    else yield* piece.slices();
  }
  if (gathered.length > 0) yield joined(gathered);
}

/** Cuts a piece into slices, so that a slow reader makes steady progress. */
function* partsOf(piece: PieceInHand): Generator<Uint8Array, void, undefined> {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  for (let at = 0; at < bytes.byteLength; at += COPY_MAX_BYTES)
    yield bytes.subarray(at, at + COPY_MAX_BYTES);
}

/** Settles when the slice was passed to the system. Disconnects a reader that reads nothing for too long. */
async function writeSlice(
  { engine }: HttpService,
  response: ServerResponse,
  slice: PieceInHand,
): Promise<void> {
  const { realClock } = engine;
  const disarm = realClock.wakeAt(realClock.now() + LIMITS.readerStallMs, () => response.destroy());
  await writeOut(response, slice);
  disarm();
}
