/**
 * The same random batches, also such as do not fit, drive the store in memory and the one on disk, whose thread is killed
 * while it writes now and then: both take and refuse the same, and answer every question alike,
 * as a recount of what is stored does.
 *
 * STORE_SEED repeats the choices of an earlier run.
 */
import { expect, it } from "vitest";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { sized } from "../setup/size.ts";
import { watchStoreThreads } from "../setup/store-threads.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { allQuestions, compare, someQuestions } from "./store/compared-reads.ts";
import { Differential } from "./store/differential.ts";
import { compareWithRecount } from "./store/recount.ts";
import { Chance } from "./store/random-batches.ts";

const BATCHES = sized(1_000, 100_000);
const SEED = Number(process.env["STORE_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
const COMPARE_ALL_EVERY = 250;
const KILL_EVERY = 300;

it(
  `${BATCHES} random batches: memory and SQLite take, refuse and answer the same (seed ${SEED})`,
  { timeout: BATCHES * 60 },
  async () => {
    using directory = temporaryDirectory();
    using threads = await watchStoreThreads();
    const chance = new Chance(SEED);
    const disk = await openSqliteStore({ directory: directory.path });
    const both = new Differential(disk, chance, await disk.boot());
    const kill = async () => {
      const thread = threads.started.at(-1);
      for (let turns = chance.below(4); turns > 0; turns -= 1) await new Promise(setImmediate);
      await thread?.terminate();
    };
    for (let made = 1; made <= BATCHES; made += 1) {
      await both.step(made % KILL_EVERY === 0 ? kill : undefined);
      const { lastSeq } = both.owner;
      await compare(both.memory, disk, someQuestions(chance, both.known, lastSeq));
      if (made % COMPARE_ALL_EVERY !== 0) continue;
      await compare(both.memory, disk, allQuestions(both.known, lastSeq));
      await compareWithRecount(disk, both.known);
      expect((await disk.boot()).counts).toEqual(both.owner.counts);
    }
    expect(await disk.check()).toEqual([]);
    await compare(both.memory, disk, allQuestions(both.known, both.owner.lastSeq));
    expect(threads.started.length).toBeGreaterThan(BATCHES / KILL_EVERY);
    expect(both.counted.refused).toBeGreaterThan(BATCHES / 40);
    await disk.close();
  },
);
