/** Two stores that get equal batches, one in memory and one on disk. */
import assert from "node:assert/strict";
import type { Change } from "../../../emulator/store/batch.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { BatchRefusedError, type Store, type Boot } from "../../../emulator/store/store.ts";
import { type Chance, RandomBatches } from "./random-batches.ts";
import { Owner, stageOne } from "./subject.ts";

/** The changes with bytes in this store's form. */
export async function stagedFor(store: Store, changes: readonly Change[]): Promise<Change[]> {
  return Promise.all(
    changes.map(async (made): Promise<Change> => {
      if (made.type === "put-payload" && made.payload.kind === "inline")
        return { ...made, payload: await stageOne(store, made.payload.bytes) };
      if (made.type !== "append-chunks" || made.batch.lines.kind !== "inline") return made;
      const lines = await stageOne(store, made.batch.lines.bytes);
      return { ...made, batch: { ...made.batch, lines } };
    }),
  );
}

export class Differential {
  readonly memory = createMemoryStore();
  readonly disk: Store;
  readonly owner: Owner;
  readonly known: RandomBatches;
  readonly counted = { stored: 0, refused: 0, killed: 0 };

  constructor(disk: Store, chance: Chance, booted: Boot) {
    this.disk = disk;
    this.owner = Owner.at(this.memory, booted);
    this.known = new RandomBatches(chance, this.owner);
  }

  /** @param kill ends the writing thread of the store on disk */
  async step(kill: (() => Promise<void>) | undefined): Promise<void> {
    const { rows, changes, fits, stored } = this.known.next();
    const onDisk = this.disk.flush(this.owner.batchOf(rows, await stagedFor(this.disk, changes)));
    const [written] = await Promise.allSettled([onDisk, kill?.()]);
    const isRefused = written.status === "rejected";
    if (isRefused && !(written.reason instanceof BatchRefusedError)) {
      assert(kill !== undefined, String(written.reason));
      this.counted.killed += 1;
      return;
    }
    const inMemory = this.owner.flush(rows, changes);
    const [kept] = await Promise.allSettled([inMemory]);
    const both = { disk: written.status, memory: kept.status };
    const status = fits ? "fulfilled" : "rejected";
    assert.deepStrictEqual(both, { disk: status, memory: status });
    if (kept.status === "rejected") {
      assert(kept.reason instanceof BatchRefusedError, String(kept.reason));
      this.counted.refused += 1;
      return;
    }
    stored();
    this.counted.stored += 1;
    this.known.deliveries = await this.memory.deliveries.list({}, 100);
  }
}
