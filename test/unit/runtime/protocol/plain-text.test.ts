/** The quick check of long texts takes no byte for plain that needs the full check. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isPlainText, PlainTextFinder } from "../../../../runtime/protocol/plain-text.ts";

const isPlainByte = (byte: number) => byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;

it("each byte at each place in a word is classified correctly", () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 9; at += 1) {
      const bytes = Buffer.alloc(9, "x");
      bytes[at] = byte;
      expect([byte, at, isPlainText(bytes)]).toEqual([byte, at, isPlainByte(byte)]);
    }
  }
});

it("a run of plain bytes ends at the first other byte, wherever the bytes lie", () => {
  const bytes = fc.uint8Array({ min: 0x1e, max: 0x81, maxLength: 40 });
  fc.assert(
    fc.property(bytes, fc.nat(9), fc.nat(39), (content, offset, wanted) => {
      const memory = Buffer.alloc(content.length + offset, '"');
      memory.set(content, offset);
      const text = memory.subarray(offset);
      const start = Math.min(wanted, text.length);
      const found = text.subarray(start).findIndex((byte) => !isPlainByte(byte));
      const end = found === -1 ? text.length : start + found;
      expect(new PlainTextFinder(text).endOfRun(start)).toBe(end);
    }),
  );
});
