/** Writes to a response no faster than it is read. */
import type { ServerResponse } from "node:http";
import {
  areInHand,
  closePieces,
  isInHand,
  type Piece,
  type PieceInHand,
  sizeOf,
} from "../../../core/jobs/opened-payload.ts";
import { COPY_MAX_BYTES, joined } from "./answer.ts";

/** Resolves when the reader can take more, or `signal` has aborted. Disposes of opened payloads. */
export async function writeWithBackpressure(
  response: ServerResponse,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  if (areInHand(pieces)) return writeInHand(response, pieces, signal);
  try {
    for (const piece of pieces) {
      const slices = isInHand(piece) ? [piece] : piece.slices();
      for await (const slice of slices) {
        if (signal.aborted || response.destroyed) return;
        await writeOut(response, slice);
      }
    }
  } finally {
    await closePieces(pieces);
  }
}

/** Settles when the piece was passed to the system, so that its memory can be reused, or the connection is lost. */
export function writeOut(response: ServerResponse, piece: PieceInHand): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve());
  });
}

async function writeInHand(
  response: ServerResponse,
  pieces: readonly PieceInHand[],
  signal: AbortSignal,
): Promise<void> {
  for (const slice of gathered(pieces)) {
    if (response.destroyed) return;
    const mayGoOn = response.write(slice);
    if (!mayGoOn && !signal.aborted) await drained(response, signal);
  }
}

/** All bytes in order; small pieces are joined, because each write costs a system call. */
function* gathered(pieces: readonly PieceInHand[]): Generator<PieceInHand, void, undefined> {
  let small: PieceInHand[] = [];
  let size = 0;
  for (const piece of pieces) {
    const pieceBytes = sizeOf([piece]);
    if (size + pieceBytes > COPY_MAX_BYTES && small.length > 0) {
      yield small.length === 1 && small[0] !== undefined ? small[0] : joined(small);
      small = [];
      size = 0;
    }
    small.push(piece);
    size += pieceBytes;
  }
  if (small.length > 0)
    yield small.length === 1 && small[0] !== undefined ? small[0] : joined(small);
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.removeListener("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
