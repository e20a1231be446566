/** A payload that is too large to be taken into memory whole: opened, to be read slice by slice. */
import { Buffer } from "node:buffer";

/** It can be read until it is disposed of, whatever becomes of its job meanwhile. */
export interface OpenedPayload extends AsyncDisposable {
  readonly sizeBytes: number;
  /**
   * Its bytes from the first to the last, in slices of a bounded size; each is read when it is asked for, and is good until
   * the next one is: their memory is the same. They must not be changed. May be called again, but not before the last ones
   * were read. Throws where it cannot be read on.
   */
  slices(): AsyncIterable<Uint8Array>;
}

/** As it is shown to somebody: a small one in hand, a large one opened. */
export type ShownPayload = Uint8Array | OpenedPayload;

/** A part of a JSON text, for example of an answer's body. */
export type Piece = string | ShownPayload;

/** One that is in memory. */
export type PieceInHand = string | Uint8Array;

/** Bytes of all of them together. */
export function sizeOf(pieces: readonly Piece[]): number {
  let size = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") size += Buffer.byteLength(piece);
    else size += piece instanceof Uint8Array ? piece.byteLength : piece.sizeBytes;
  }
  return size;
}

export function isInHand(piece: Piece): piece is PieceInHand {
  return typeof piece === "string" || piece instanceof Uint8Array;
}

export function areInHand(pieces: readonly Piece[]): pieces is readonly PieceInHand[] {
  return pieces.every(isInHand);
}

/** Disposes of those that are opened. */
export async function closePieces(pieces: readonly (Piece | undefined)[]): Promise<void> {
  for (const piece of pieces) {
    if (piece !== undefined && !isInHand(piece)) await piece[Symbol.asyncDispose]();
  }
}
