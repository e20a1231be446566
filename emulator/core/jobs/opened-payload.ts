/** A payload too large to be read into memory at once: it is opened and read in slices. */
import { Buffer } from "node:buffer";

/** Stays readable until it is disposed of, even if its job is deleted. */
export interface OpenedPayload extends AsyncDisposable {
  readonly sizeBytes: number;
  /**
   * The bytes in slices of bounded size, each read on demand. A slice is valid until the next one is read, because all share
   * one buffer; it must not be changed. May be called again after all slices were read. Throws if reading fails.
   */
  slices(): AsyncIterable<Uint8Array>;
}

/** A payload to be shown: a small one in memory, or a large one opened. */
export type ShownPayload = Uint8Array | OpenedPayload;

/** A piece of a JSON text, for example of an answer's body. */
export type Piece = string | ShownPayload;

export type PieceInHand = string | Uint8Array;

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

/** Disposes of the opened payloads. */
export async function closePieces(pieces: readonly (Piece | undefined)[]): Promise<void> {
  for (const piece of pieces) {
    if (piece !== undefined && !isInHand(piece)) await piece[Symbol.asyncDispose]();
  }
}
