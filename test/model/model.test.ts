/** The model test: random histories played on memory and SQLite side by side, compared after every step. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { sized } from "../setup/size.ts";
import { COMMANDS } from "./commands.ts";
import { playHistory } from "./history.ts";
import { Subject } from "./subject.ts";

const SEEDS = sized(6, 500);
const SEEDS_A_TEST = 50;

/** Directory in memory if the machine has such a file system: the disk is not under test. */
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sv-model-"));
afterAll(() => rmSync(root, { recursive: true }));

async function play(seed: number): Promise<number> {
  await using memory = await Subject.open(createMemoryStore());
  await using sqlite = await Subject.open(
    await openSqliteStore({ directory: join(root, String(seed)) }),
  );
  return await playHistory(seed, [memory, sqlite]);
}

describe(`in each of ${SEEDS} random histories`, () => {
  for (let from = 1; from <= SEEDS; from += SEEDS_A_TEST) {
    const to = Math.min(from + SEEDS_A_TEST - 1, SEEDS);
    it(`memory and SQLite show equal states until each kind of command has succeeded (seeds ${from} to ${to})`, async () => {
      for (let seed = from; seed <= to; seed += 1) {
        expect(await play(seed)).toBeGreaterThanOrEqual(Object.keys(COMMANDS).length);
      }
    });
  }
});
