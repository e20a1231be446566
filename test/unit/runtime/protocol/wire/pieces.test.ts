/**
 * A large message in pieces: only as much of it is in transit as the connection needs, and pieces are joined or
 * refused.
 */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Piece } from "../../../../../runtime/protocol/wire/messages.ts";
import {
  MESSAGE_MAX_BYTES,
  PIECE_BYTES,
  PieceReader,
  PieceSender,
  PiecesInMemory,
} from "../../../../../runtime/protocol/wire/pieces.ts";
import { WireError } from "../../../../../runtime/protocol/wire/wire-error.ts";

/** A connection of that bandwidth and latency; a receipt takes as long back. The test controls time. */
function overLine(bytes: number, bytesPerSecond: number, latencyMs: number) {
  let now = 0;
  let freeAt = 0;
  let taken = 0;
  let longestMs = 0;
  const receipts: number[] = [];
  const sender = new PieceSender({
    write: ({ data = new Uint8Array() }) => {
      freeAt = Math.max(now, freeAt) + (data.length / bytesPerSecond) * 1_000;
      longestMs = Math.max(longestMs, freeAt - now);
      receipts.push(freeAt + 2 * latencyMs);
    },
    allSent: () => undefined,
    now: () => now,
  });
  sender.send(new Uint8Array(bytes));
  for (let at; (at = receipts.shift()) !== undefined;) {
    now = at;
    sender.taken((taken += 1));
  }
  return { tookMs: now, longestMs, isSending: sender.isSending };
}

it.each([
  ["10 kB/s", 10_000, 0, 1.1],
  ["100 kB/s", 100_000, 0, 1.1],
  ["100 kB/s and 2 s of latency", 100_000, 2_000, 1.3],
  ["1 MB/s and 2 s of latency", 1_000_000, 2_000, 3],
  ["100 MB/s and 50 ms of latency", 100_000_000, 50, 6],
])(
  "over %s a large message takes little longer than the bandwidth requires",
  (_, bytesPerSecond, latencyMs, most) => {
    const { tookMs, isSending } = overLine(20_000_000, bytesPerSecond, latencyMs);
    expect(isSending).toBe(false);
    expect(tookMs / ((20_000_000 / bytesPerSecond) * 1_000)).toBeLessThan(most);
  },
);

it.each([
  ["100 kB/s", 100_000, 0],
  ["100 kB/s and 2 s of latency", 100_000, 2_000],
  ["1 MB/s", 1_000_000, 0],
])("over %s an urgent message waits a few seconds at most", (_, bytesPerSecond, latencyMs) => {
  expect(overLine(20_000_000, bytesPerSecond, latencyMs).longestMs).toBeLessThan(6_000);
});

it("messages of any size arrive unchanged and in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 5 * PIECE_BYTES }), { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      (sizes, steps) => {
        const sent = sizes.map((size, at) => Buffer.alloc(size, at + 1));
        const pieces: Piece[] = [];
        const write = (piece: Piece) => void pieces.push(piece);
        const sender = new PieceSender({ write, allSent: () => undefined, now: () => 0 });
        const arrived: number[] = [];
        for (const [at, message] of sent.entries()) sender.send(message, () => arrived.push(at));
        const reader = new PieceReader((bytes) => new PiecesInMemory(bytes));
        const received: Buffer[] = [];
        let taken = 0;
        while (taken < pieces.length) {
          const step: unknown = steps.next().value;
          if (typeof step !== "number") throw new Error("there are infinitely many");
          for (const piece of pieces.slice(taken, taken + step)) {
            const whole = reader.take(piece);
            if (whole !== undefined) received.push(whole.whole);
            taken += 1;
          }
          sender.taken(taken);
        }
        expect(received.map((message, at) => message.equals(sent[at] ?? Buffer.alloc(0)))).toEqual(
          sizes.map(() => true),
        );
        expect(arrived).toEqual([...sizes.keys()]);
      },
    ),
  );
});

it("pieces that do not belong are refused with a WireError", () => {
  const data = new Uint8Array(10);
  const reading = (...pieces: Piece[]) => {
    const reader = new PieceReader((bytes) => new PiecesInMemory(bytes));
    for (const piece of pieces) reader.take(piece);
  };
  expect(() => reading({ data, left: MESSAGE_MAX_BYTES })).toThrow(WireError);
  expect(() => reading({ data, left: 20 }, { data, left: 20 })).toThrow(WireError);
  expect(() => reading({ data, left: 20 }, { data, left: 0 })).toThrow(WireError);
  expect(() => reading({ data: undefined, left: 20 })).toThrow(WireError);
  const sender = new PieceSender({
    write: () => undefined,
    allSent: () => undefined,
    now: () => 0,
  });
  sender.send(data);
  expect(() => sender.taken(2)).toThrow(WireError);
  sender.taken(1);
  expect(() => sender.taken(0)).toThrow(WireError);
});
