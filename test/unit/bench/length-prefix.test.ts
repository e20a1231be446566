/** The messages of the IPC floor, however they are torn on the way. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { frame, FrameReader } from "../../../bench/floors/length-prefix.ts";

test("messages arrive unchanged, in whatever parts", () => {
  const message = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.array(message), fc.integer({ min: 1, max: 9 }), (messages, partBytes) => {
      const stream = Buffer.concat(messages.map(frame));
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += partBytes) {
        read.push(...reader.add(stream.subarray(at, at + partBytes)));
      }
      expect(read).toEqual(messages);
    }),
  );
});
