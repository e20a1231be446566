/** A large yield of a live worker is split in steps, between which other work continues. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { SLICE_BYTES } from "../../../emulator/core/jobs/raw-json/scan.ts";
import { chunkLines } from "../../../emulator/live/chunk-lines.ts";

/** Resolves with the number of turns of the event loop until then. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await done;
  clearImmediate(next);
  return turns;
}

const LARGE_BYTES = 8_000_000;
const SLICES = Math.floor(LARGE_BYTES / SLICE_BYTES);

it.each([
  ["of many values", `[${"1,".repeat(LARGE_BYTES / 2)}1]`, 2 * SLICES],
  // A part of a string is cut off in one step.
  ["of one string", `"${"x".repeat(LARGE_BYTES)}"`, LARGE_BYTES / 1_000_000],
  ["with a line break", `[${"1,".repeat(LARGE_BYTES / 2)}\n1]`, 2 * SLICES],
])("a large yield %s lets other work run while it is split", async (_what, output, turns) => {
  const lines = chunkLines(Buffer.from(output), 0, 1);
  expect(await turnsUntil(Promise.resolve(lines))).toBeGreaterThanOrEqual(turns - 2);
  expect((await lines).count).toBeGreaterThan(LARGE_BYTES / 1_000_000);
});
