/** Changes at about the same time are one batch; the wait for more depends on their number. */
import { expect, test } from "vitest";
import { ChangedPaths, type QuietTerms } from "../../../emulator/reload/changed-paths.ts";
import { FakeClock } from "../../fake-clock.ts";

const TERMS: QuietTerms = { oneMs: 10, severalMs: 60, longestMs: 1_000 };

function gathering() {
  const clock = new FakeClock();
  const batches: string[][] = [];
  const changes = new ChangedPaths(clock, (paths) => batches.push([...paths]), TERMS);
  return { clock, batches, changes };
}

test("one file, however often it is written, is one batch as soon as it is quiet", async () => {
  const { clock, batches, changes } = gathering();
  for (let written = 0; written < 4; written += 1) {
    changes.add("/a.ts");
    await clock.advance(9);
  }
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect(batches).toEqual([["/a.ts"]]);
});

test("a hundred files that change one after the other are one batch", async () => {
  const { clock, batches, changes } = gathering();
  const paths = Array.from({ length: 100 }, (_, at) => `/${at}.ts`);
  for (const [at, path] of paths.entries()) {
    changes.add(path);
    // At the beginning their number is unknown.
    await clock.advance(at === 0 ? 9 : 8);
  }
  expect(batches).toEqual([]);
  await clock.advance(60);
  expect(batches).toEqual([paths]);
});

test("continuous changes become a batch a second after the first one", async () => {
  const { clock, batches, changes } = gathering();
  for (let ms = 0; ms < 1_000; ms += 5) {
    expect(batches).toEqual([]);
    changes.add(`/${ms % 2}.ts`);
    await clock.advance(5);
  }
  expect(batches).toEqual([["/0.ts", "/1.ts"]]);
});

test("a process that was held up gets all changes before it ends the batch", async () => {
  const { clock, batches, changes } = gathering();
  changes.add("/a.ts");
  await clock.standStill(5_000);
  expect(batches).toEqual([]);
  changes.add("/b.ts");
  await clock.advance(60);
  expect(batches).toEqual([["/a.ts", "/b.ts"]]);
});

test("a change after a batch is in the next one, and a cleared change is in none", async () => {
  const { clock, batches, changes } = gathering();
  changes.add("/a.ts");
  expect(changes.some((path) => path === "/a.ts")).toBe(true);
  await clock.advance(10);
  expect(changes.some(() => true)).toBe(false);
  changes.add("/b.ts");
  await clock.advance(10);
  changes.add("/c.ts");
  changes.clear();
  await clock.advance(2_000);
  expect(batches).toEqual([["/a.ts"], ["/b.ts"]]);
  expect(clock.armed).toBe(0);
});
