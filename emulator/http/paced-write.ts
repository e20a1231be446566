/** Writes to a response as fast as its reader takes it and no faster. */
import type { ServerResponse } from "node:http";
import { joined, type Piece } from "./answer.ts";

/** Resolves when the reader can take more, or `signal` has aborted. */
export async function writePaced(
  response: ServerResponse,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  if (pieces.length === 0 || response.destroyed) return;
  const [only] = pieces;
  const mayGoOn = response.write(pieces.length === 1 && only ? only : joined(pieces));
  if (!mayGoOn && !signal.aborted) await drained(response, signal);
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
