/** Cuts a body into lines, however the network has cut it into pieces. */
import { Buffer } from "node:buffer";

const NEWLINE = 0x0a;

/**
 * The non-empty lines of `body`, the last one with or without its newline. When the connection breaks, the error comes
 * instead of the line it broke within.
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  for await (const bytes of body) {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      pieces.push(bytes.subarray(start, end));
      const line = Buffer.concat(pieces).toString("utf8");
      pieces = [];
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    pieces.push(bytes.subarray(start));
  }
  const last = Buffer.concat(pieces).toString("utf8");
  if (last.trim() !== "") yield last;
}
