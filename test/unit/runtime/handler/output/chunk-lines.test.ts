/** The fast and the usual way to make a chunk give the same bytes; batches hold them in order. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkLines, yieldedJson } from "../../../../../runtime/handler/output/chunk-body.ts";
import { ChunkPack } from "../../../../../runtime/handler/output/chunk-pack.ts";
import { plainLine } from "../../../../../runtime/handler/output/plain-line.ts";
import type { ChunkBatch } from "../../../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";

describe("a long plain text", () => {
  it("gives the same line as the usual way", () => {
    for (const [length, index, attempt] of [
      [16_384, 0, 1],
      [100_001, 123, 2],
      [LIMITS.chunkMaxBytes - 2, 7, 1],
    ] as const) {
      const text = "a b~".repeat(length).slice(0, length);
      const [usual] = chunkLines(yieldedJson(text), index, attempt);
      expect(plainLine(text, index, attempt)?.toString()).toBe(usual);
    }
  });

  it("is left to the usual way when it is short, too large for a chunk, no text, or has characters to escape or encode", () => {
    const long = "x".repeat(20_000);
    const unfit = ["x", "x".repeat(LIMITS.chunkMaxBytes - 1), { long }, 7, undefined];
    const special = ['"', "\\", "\n", "\u007f\u0000", "é", "Ł", "😀", "\ud800", "\u2028"];
    for (const value of unfit) expect(plainLine(value, 0, 1)).toBeUndefined();
    for (const each of special) {
      for (const value of [each + long, long + each, long + each + long]) {
        expect(plainLine(value, 0, 1)).toBeUndefined();
      }
    }
  });
});

it("a yield is split by bytes, not by characters", () => {
  const value = "é".repeat(LIMITS.chunkMaxBytes / 2);
  const lines = chunkLines(yieldedJson(value), 0, 1);
  const outputs = lines.map((line) => (JSON.parse(line) as { readonly output: string }).output);
  expect(outputs).toHaveLength(2);
  expect(outputs.join("")).toBe(value);
  for (const output of outputs) {
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(LIMITS.chunkMaxBytes);
  }
});

it("a batch has its lines in order and without gaps, however long they are", () => {
  const line = fc.oneof(
    fc.integer({ min: 1, max: 200_000 }).map((length) => `${"yé".repeat(length / 2)}\n`),
    fc.integer({ min: 1, max: 90_000 }).map((length) => Buffer.from(`${"z".repeat(length)}\n`)),
  );
  fc.assert(
    fc.property(fc.array(fc.option(line, { nil: undefined }), { maxLength: 30 }), (steps) => {
      const batches: ChunkBatch[] = [];
      const pack = new ChunkPack((batch) => batches.push(batch));
      for (const step of steps) {
        if (step === undefined) pack.flush();
        else pack.add(step);
      }
      pack.flush();
      expect(pack.isEmpty).toBe(true);
      const lines = steps.filter((step) => step !== undefined);
      const sent = Buffer.concat(batches.map((batch) => batch.lines));
      expect(sent.equals(Buffer.concat(lines.map((each) => Buffer.from(each))))).toBe(true);
      let next = 0;
      for (const { firstIndex, count, lines: bytes } of batches) {
        expect(firstIndex).toBe(next);
        expect(Buffer.from(bytes).toString().split("\n")).toHaveLength(count + 1);
        next += count;
      }
      expect(next).toBe(lines.length);
    }),
    { numRuns: 40 },
  );
});
