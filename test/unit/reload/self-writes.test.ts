/** Files that a handler itself writes and imports, told apart from files that a person saves. */
import { expect, test } from "vitest";
import { SelfWrites } from "../../../emulator/reload/self-writes.ts";

const ENTRY = "/app/handler.ts";
const CACHE = "/app/cache.json";

/** Changes in turn, each followed by a release if it may cause one. Returns what each may do. */
function play(...turns: (readonly [afterMs: number, ...files: string[]])[]): boolean[] {
  const writes = new SelfWrites(ENTRY);
  let now = 0;
  return turns.map(([afterMs, ...files]) => {
    now += afterMs;
    const may = writes.changed(files, now);
    if (may) writes.released(now);
    return may;
  });
}

test("a file that follows each of three versions at once causes no fourth", () => {
  const turns = [0, 2_000, 2_000, 2_000, 2_000, 60_000].map((ms) => [ms, CACHE] as const);
  expect(play(...turns)).toEqual([true, true, true, true, false, false]);
});

test("another file ends that, also together with it", () => {
  const damped = [0, 100, 100, 100, 100].map((ms) => [ms, CACHE] as const);
  expect(play(...damped, [100, ENTRY], [100, CACHE]).slice(-3)).toEqual([false, true, true]);
  expect(play(...damped, [100, CACHE, ENTRY]).slice(-2)).toEqual([false, true]);
});

test("a person's saves count: of the handler itself, with pauses, and of several files", () => {
  const many = <T>(turn: T) => Array.from({ length: 9 }, () => turn);
  expect(play(...many([10, ENTRY] as const))).not.toContain(false);
  expect(play(...many([4_000, CACHE] as const))).not.toContain(false);
  expect(play(...many([10, CACHE, "/app/b.ts"] as const))).not.toContain(false);
  expect(
    play(...many(0).map((_, at) => [10, at % 2 ? CACHE : "/app/b.ts"] as const)),
  ).not.toContain(false);
});
