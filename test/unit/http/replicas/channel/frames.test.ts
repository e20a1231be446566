/** Frames, written and read back. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  FRAME,
  type FrameKind,
  frameHead,
  FrameReader,
} from "../../../../../emulator/http/replicas/channel/frames.ts";

const kinds = fc.constantFrom<FrameKind>(...Object.values(FRAME));
const frames = fc.array(
  fc.record({ kind: kinds, id: fc.nat(), payload: fc.uint8Array({ maxLength: 40 }) }),
);

it("frames are read as written, wherever the bytes are cut", () => {
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 30 }), (written, size) => {
      const bytes = Buffer.concat(
        written.flatMap(({ kind, id, payload }) => [frameHead(kind, id, payload.length), payload]),
      );
      const reader = new FrameReader();
      const read = [];
      for (let at = 0; at < bytes.length; at += size) {
        read.push(...reader.push(bytes.subarray(at, at + size)));
      }
      expect(read.map((frame) => ({ ...frame, payload: new Uint8Array(frame.payload) }))).toEqual(
        written,
      );
    }),
  );
});

it("a frame that is too large is refused before it has arrived", () => {
  const head = frameHead(FRAME.data, 1, 1_000_001);
  expect(() => new FrameReader().push(head)).toThrow(RangeError);
});
