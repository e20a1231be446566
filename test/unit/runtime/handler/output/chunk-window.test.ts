/** A stream is ahead of its receipts by a bounded number of chunks and bytes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkWindow } from "../../../../../runtime/handler/output/chunk-window.ts";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";

function fill(window: ChunkWindow, count: number, bytes = 1): void {
  for (let n = 0; n < count; n++) window.sent(bytes);
}

describe("the chunk window", () => {
  test("is full at its maximum of unconfirmed chunks, and has room when some are confirmed", async () => {
    const window = new ChunkWindow();
    fill(window, LIMITS.unackedChunks - 1);
    expect(window.room()).toBeUndefined();
    fill(window, 1);
    const room = window.room();
    expect(room).toBeDefined();
    window.stored(1);
    await room;
    expect(window.room()).toBeUndefined();
  });

  test("is full at its maximum of unconfirmed bytes", async () => {
    const window = new ChunkWindow();
    fill(window, 8, LIMITS.unackedChunkBytes / 8);
    const room = window.room();
    expect(room).toBeDefined();
    window.stored(1);
    await room;
  });

  test("lets all waiting chunks through when it is released", async () => {
    const window = new ChunkWindow();
    fill(window, LIMITS.unackedChunks);
    const room = window.room();
    window.release();
    await room;
    expect(window.room()).toBeUndefined();
  });

  test("counts unconfirmed chunks correctly when receipts repeat in any order", () => {
    const step = fc.oneof(
      fc.record({ sent: fc.integer({ min: 0, max: 1_000_000 }) }),
      fc.record({ stored: fc.integer({ min: 0, max: 400 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const window = new ChunkWindow();
        const sizes: number[] = [];
        let storedTo = 0;
        for (const each of steps) {
          if ("sent" in each) {
            window.sent(each.sent);
            sizes.push(each.sent);
          } else {
            window.stored(each.stored);
            storedTo = Math.max(storedTo, Math.min(each.stored, sizes.length));
          }
        }
        const open = sizes.slice(storedTo);
        const bytes = open.reduce((sum, size) => sum + size, 0);
        const isFull = open.length >= LIMITS.unackedChunks || bytes >= LIMITS.unackedChunkBytes;
        expect(window.room() !== undefined).toBe(isFull);
      }),
    );
  });
});
