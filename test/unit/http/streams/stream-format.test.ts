/** The events of a batch of chunks that is too large for memory. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { EVENT_STREAM } from "../../../../emulator/http/streams/stream-format.ts";

/** A batch of three chunks that is read in slices. */
function batchOf(text: string, sliceBytes: number) {
  const bytes = Buffer.from(text);
  return {
    ...{ firstIndex: 7, count: 3 },
    lines: {
      sizeBytes: bytes.byteLength,
      async *slices() {
        for (let at = 0; at < bytes.byteLength; at += sliceBytes)
          yield bytes.subarray(at, at + sliceBytes);
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
  };
}

it.each([1, 4, 7, 99])(
  "each chunk is an event with its index, in slices of %i bytes",
  async (sliceBytes) => {
    const batch = batchOf('{"a":1}\n{"b":2}\n{"c":3}\n', sliceBytes);
    const written: string[] = [];
    for (const piece of EVENT_STREAM.frame({ type: "chunks", batch, attempt: 2 }, () => [])) {
      if (typeof piece === "string" || piece instanceof Uint8Array) expect.unreachable();
      for await (const slice of piece.slices()) written.push(Buffer.from(slice).toString());
    }
    const event = (index: number, data: string) =>
      `event: chunk\nid: 2.${index}\ndata: ${data}\n\n`;
    expect(written.join("")).toBe(
      [event(7, '{"a":1}'), event(8, '{"b":2}'), event(9, '{"c":3}')].join(""),
    );
  },
);
