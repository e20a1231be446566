/** The parts of a stream that a handler returned, bytes as text. */
import { InvalidOutputError } from "./output.ts";

/**
 * Parts that are bytes are decoded as UTF-8 together: a character may begin in one part and end in the next. Other parts stay.
 *
 * @returns what the stream returns at its end
 * @throws InvalidOutputError if bytes are not UTF-8
 */
export async function* textOf(stream: AsyncIterable<unknown>): AsyncGenerator {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let end: unknown;
  // A loop of `for await` would not tell what is returned.
  const parts = async function* () {
    end = yield* stream;
  };
  for await (const part of parts()) {
    const isBytes = part instanceof Uint8Array;
    const text = isBytes ? decode(decoder, part) : part;
    if (!isBytes || text !== "") yield text;
  }
  const rest = decode(decoder);
  if (rest !== "") yield rest;
  return end;
}

function decode(decoder: InstanceType<typeof TextDecoder>, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined });
  } catch (error) {
    throw new InvalidOutputError(
      "The stream has bytes that are not UTF-8 text: yield them as base64 strings, or upload them.",
      { cause: error },
    );
  }
}
