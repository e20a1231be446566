/** Lines stay whole wherever their bytes were cut, and no line takes more memory than its limit. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "../../../../runtime/isolate/line-reader.ts";

function read(pieces: readonly Buffer[], maxBytes: number): string[] {
  const lines: string[] = [];
  const reader = new LineReader(maxBytes, (line) => lines.push(line));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return lines;
}

test("any text is split at its line breaks and nowhere else", () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r]/u.test(text));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (lines, step) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
      const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) =>
        Buffer.from(bytes.subarray(at * step, (at + 1) * step)),
      );
      expect(read(pieces, 10_000)).toEqual(lines);
    }),
  );
});

test("a line over the limit is cut and marked; the next line is complete", () => {
  const pieces = ["0123456", "789abc", "def\nnext\n"].map((text) => Buffer.from(text));
  expect(read(pieces, 8)).toEqual(["01234567 [cut]", "next"]);
});

test("a last line without a line break is read, and a carriage return is removed", () => {
  expect(read([Buffer.from("one\r\ntwo")], 100)).toEqual(["one", "two"]);
  expect(read([Buffer.from("one\n")], 100)).toEqual(["one"]);
});
