/** Plays random batches on the memory store and on another store, and compares all answers. */
import { expect } from "vitest";
import type { Store } from "../../../emulator/store/store.ts";
import { allQuestions, compare, someQuestions } from "./compared-reads.ts";
import { Differential } from "./differential.ts";
import type { Chance } from "./random-batches.ts";
import { compareWithRecount } from "./recount.ts";

export interface Play {
  readonly disk: Store;
  readonly chance: Chance;
  readonly batches: number;
  /** Number of batches between two full comparisons. */
  readonly compareAllEvery: number;
  readonly killEvery: number;
  /** Damages `disk` while it writes. */
  readonly kill: () => Promise<void>;
}

/** Closes `disk` at the end. */
export async function playBatches(play: Play): Promise<void> {
  const { disk, chance, batches, compareAllEvery, killEvery, kill } = play;
  const both = new Differential(disk, chance, await disk.boot());
  // A short run may have few refusals: then it plays more batches.
  const isEnough = (made: number) => made > batches && both.counted.refused > batches / 40;
  for (let made = 1; made <= 8 * batches && !isEnough(made); made += 1) {
    await both.step(made % killEvery === 0 ? kill : undefined);
    const { lastSeq } = both.owner;
    await compare(both.memory, disk, someQuestions(chance, both.known, lastSeq));
    if (made % compareAllEvery !== 0) continue;
    await compare(both.memory, disk, allQuestions(both.known, lastSeq));
    await compareWithRecount(disk, both.known);
    expect((await disk.boot()).counts).toEqual(both.owner.counts);
  }
  expect(await disk.check()).toEqual([]);
  await compare(both.memory, disk, allQuestions(both.known, both.owner.lastSeq));
  expect(both.counted.refused).toBeGreaterThan(batches / 40);
  await disk.close();
}

/** Waits a few turns of the event loop, so that running work is at a random point. */
export async function someTurns(chance: Chance, most: number): Promise<void> {
  for (let turns = chance.below(most); turns > 0; turns -= 1) await new Promise(setImmediate);
}
