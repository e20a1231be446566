/** Sends an answer of any size: a small one at once, a large one as fast as its reader takes it and no faster. */
import type { ServerResponse } from "node:http";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import {
  areInHand,
  closePieces,
  isInHand,
  type Piece,
  type PieceInHand,
  sizeOf,
} from "../core/opened-payload.ts";
import { COPY_MAX_BYTES, sendWhole, type WholeAnswer, writeHead } from "./answer.ts";
import { writeOut } from "./paced-write.ts";
import type { HttpService } from "./service.ts";
import { takeRoom } from "./take-room.ts";

/** A slice, and what is around the payload. */
const ANSWER_ROOM_BYTES = 300_000;

/**
 * Settles when the answer has left or its reader has gone. What is opened of it is disposed of.
 *
 * @throws ServiceError too_much_in_flight, shutting_down; StoreUnusableError
 */
export async function sendAnswer(
  service: HttpService,
  response: ServerResponse,
  answer: WholeAnswer,
): Promise<void> {
  const { pieces } = answer;
  const size = sizeOf(pieces);
  if (size <= COPY_MAX_BYTES && areInHand(pieces)) {
    if (!response.destroyed) sendWhole(response, { ...answer, pieces }, service.stopping);
    return;
  }
  try {
    await takeRoom(service, response, Math.min(size, ANSWER_ROOM_BYTES));
    if (response.destroyed) return;
    writeHead(response, answer, size, service.stopping);
    for (const piece of pieces) await writePiece(service, response, piece);
    if (!response.destroyed) response.end();
  } finally {
    await closePieces(pieces);
  }
}

async function writePiece(
  service: HttpService,
  response: ServerResponse,
  piece: Piece,
): Promise<void> {
  for await (const slice of isInHand(piece) ? [piece] : piece.slices()) {
    if (response.destroyed) return;
    await writeSlice(service, response, slice);
  }
}

/** Settles when the slice has left for the system. A reader that takes nothing of it for too long is cut off. */
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
