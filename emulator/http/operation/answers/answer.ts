/** The answer of an operation as a value, and how it is written to the client. */
import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { type Piece, type PieceInHand, sizeOf } from "../../../core/jobs/opened-payload.ts";

export type { Piece } from "../../../core/jobs/opened-payload.ts";

export interface WholeAnswer<P extends Piece = Piece> {
  readonly status: number;
  /** The pieces of the body in order; absent if there is no body. JSON, unless `headers` name another type. */
  readonly pieces: readonly P[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Subject for the audit, if the path does not name it. */
  readonly subject?: string;
}

/** An answer that is written piece by piece. */
export interface FlowingAnswer {
  /** Writes everything, including the head; must not reject. Settles when nothing more will be written. */
  readonly flow: (response: ServerResponse) => Promise<void>;
}

export type Answer = WholeAnswer | FlowingAnswer;

/** Maximum size of a body that is copied and sent in one write. Larger bodies are sent no faster than they are read. */
export const COPY_MAX_BYTES = 65_536;

/** Maximum size of a body that is written as text, together with the head. */
const TEXT_MAX_BYTES = 4_096;

/** 204. */
export const NO_CONTENT: WholeAnswer<PieceInHand> = { status: 204, pieces: [] };

/** 200 with `value` as JSON. */
export function jsonAnswer(value: unknown): WholeAnswer<PieceInHand> {
  return { status: 200, pieces: [JSON.stringify(value)] };
}

/** The pieces and the size of a body that is in memory and small enough for one write. Undefined for any other body. */
export function smallBody(
  pieces: readonly Piece[],
): { readonly pieces: readonly PieceInHand[]; readonly size: number } | undefined {
  const inHand: PieceInHand[] = [];
  let size = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") size += Buffer.byteLength(piece);
    else if (piece instanceof Uint8Array) size += piece.byteLength;
    else return undefined;
    inHand.push(piece);
  }
  return size <= COPY_MAX_BYTES ? { pieces: inHand, size } : undefined;
}

/** Writes an answer at once; `close` ends the connection with it. */
export function sendWhole(
  response: ServerResponse,
  answer: WholeAnswer<PieceInHand>,
  close: boolean,
  size = sizeOf(answer.pieces),
): void {
  const { pieces } = answer;
  writeHead(response, answer, size, close);
  if (pieces.length <= 1) response.end(pieces[0]);
  else if (size <= TEXT_MAX_BYTES) response.end(asText(pieces));
  else if (size <= COPY_MAX_BYTES) response.end(joined(pieces));
  else {
    for (const piece of pieces) response.write(piece);
    response.end();
  }
}

/** The headers of an answer with a body of `size` bytes. */
export function writeHead(
  response: ServerResponse,
  { status, pieces, ...answer }: WholeAnswer,
  size: number,
  close: boolean,
): void {
  const headers: Record<string, string | number> = { ...answer.headers };
  if (close) headers["connection"] = "close";
  if (pieces.length > 0) headers["content-type"] ??= "application/json; charset=utf-8";
  // A 204 has no length at all.
  if (status !== 204) headers["content-length"] = size;
  response.writeHead(status, headers);
}

/** The pieces as one buffer. */
export function joined(pieces: readonly PieceInHand[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
}

/** The pieces as one text; payloads are known to be well-formed UTF-8. */
function asText(pieces: readonly PieceInHand[]): string {
  let text = "";
  for (const piece of pieces) {
    text +=
      typeof piece === "string"
        ? piece
        : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString();
  }
  return text;
}
