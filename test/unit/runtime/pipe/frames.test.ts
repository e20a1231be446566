/** Frames come out unchanged, however their bytes are cut. */
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameChannel } from "../../../../runtime/pipe/frame-channel.ts";
import {
  BrokenFrameError,
  encodeFrameStart,
  FrameDecoder,
  type Frame,
} from "../../../../runtime/pipe/frames.ts";

interface PlainFrame {
  readonly kind: number;
  readonly slot: number;
  readonly head: string;
  readonly payload: readonly number[];
}

const frame: fc.Arbitrary<PlainFrame> = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  slot: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  head: fc.string({ unit: "grapheme" }),
  payload: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 300 }),
});

function encode({ kind, slot, head, payload }: PlainFrame): Buffer {
  return Buffer.concat([encodeFrameStart(kind, slot, head, payload.length), Buffer.from(payload)]);
}

function plain({ kind, slot, head, payload }: Frame): PlainFrame {
  return { kind, slot, head, payload: [...payload] };
}

/** Cuts `bytes` into pieces with the repeating `lengths`. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    // A copy, because the decoder must not rely on neighbours in memory.
    pieces.push(Buffer.from(bytes.subarray(at, at + length)));
    at += length;
  }
  return pieces;
}

describe("the frame decoder", () => {
  test("returns any frames from bytes cut anywhere", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), lengths, (frames, cuts) => {
        const decoder = new FrameDecoder();
        const decoded: PlainFrame[] = [];
        for (const piece of cut(Buffer.concat(frames.map(encode)), cuts)) {
          decoder.push(piece, (each) => decoded.push(plain(each)));
        }
        expect(decoded).toEqual(frames);
      }),
    );
  });

  test("copies a large frame once, not once for every piece", () => {
    const payload = Buffer.alloc(20_000_000, 7);
    const bytes = Buffer.concat([encodeFrameStart(1, 2, "{}", payload.length), payload]);
    const decoder = new FrameDecoder();
    const decoded: Frame[] = [];
    const before = process.cpuUsage();
    // Ten thousand pieces: copying all earlier pieces with each would move a hundred gigabytes.
    for (let at = 0; at < bytes.length; at += 2_000) {
      decoder.push(bytes.subarray(at, at + 2_000), (each) => decoded.push(each));
    }
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    expect(decoded).toHaveLength(1);
    expect(Buffer.compare(decoded[0]?.payload ?? Buffer.alloc(0), payload)).toBe(0);
  });

  test.each([
    ["an absurd length", Buffer.from([0xff, 0xff, 0xff, 0xff, 1])],
    ["a length too small for a frame", Buffer.from([8, 0, 0, 0, 1])],
    ["a head longer than its frame", Buffer.from([9, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0])],
  ])("refuses %s", (_, bytes) => {
    expect(() => new FrameDecoder().push(bytes, () => {})).toThrow(BrokenFrameError);
  });
});

describe("a frame channel", () => {
  test("sends all frames of one turn in one write", async () => {
    const stream = new PassThrough();
    const heard: PlainFrame[] = [];
    const writes: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const sender = new FrameChannel(stream, { frame: () => {}, ended: () => {} });
    stream.removeAllListeners("data");
    stream.on("data", (piece: Buffer) => writes.push(piece.length));
    const receiver = new FrameChannel(stream, {
      frame(each) {
        heard.push(plain(each));
        if (heard.length === 3) resolve();
      },
      ended: () => {},
    });
    sender.send(1, 10, { a: 1 }, Buffer.from("one"));
    sender.send(2, 11, undefined);
    sender.send(3, 12, { b: 2 }, Buffer.from("three"));
    receiver.flush();
    expect(writes).toEqual([]);
    await promise;
    expect(writes).toHaveLength(1);
    expect(heard).toEqual([
      { kind: 1, slot: 10, head: `{"a":1}`, payload: [...Buffer.from("one")] },
      { kind: 2, slot: 11, head: "", payload: [] },
      { kind: 3, slot: 12, head: `{"b":2}`, payload: [...Buffer.from("three")] },
    ]);
  });

  test("reports once that the other side is gone, or sends no frames", async () => {
    const ends: (Error | undefined)[] = [];
    const ending = (stream: PassThrough): Promise<void> =>
      new Promise((resolve) => {
        const channel = new FrameChannel(stream, {
          frame: () => {},
          ended(error) {
            ends.push(error);
            resolve();
          },
        });
        channel.flush();
      });
    const closed = new PassThrough();
    const garbled = new PassThrough();
    const both = Promise.all([ending(closed), ending(garbled)]);
    closed.end();
    garbled.write("this is no frame at all");
    await both;
    expect(ends).toHaveLength(2);
    expect(ends).toContain(undefined);
    expect(ends).toContainEqual(expect.any(BrokenFrameError));
  });
});
