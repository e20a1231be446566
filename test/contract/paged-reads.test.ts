/**
 * Every paged read of the stores, from every start, with pages of 1, 2 and 3 rows. SQLite and PostgreSQL answer like the memory
 * store, and no page repeats or omits a row. Pages within the stores are as small. STORE_SEED repeats the choices of an earlier
 * run.
 */
import { afterAll, expect, inject, it } from "vitest";
import type { Change, JobRow } from "../../emulator/store/batch.ts";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../emulator/store/store.ts";
import { postgresIsMissing } from "../setup/postgres.ts";
import { sized } from "../setup/size.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { stagedFor } from "./store/differential.ts";
import { MemoryBlobs } from "./store/memory-blobs.ts";
import { everyPagedRead, type Held } from "./store/paged-reads.ts";
import { newDatabase, openIn } from "./store/postgres-subject.ts";
import { Chance, RandomBatches } from "./store/random-batches.ts";
import { batch, Owner, under, usageOf } from "./store/subject.ts";

const READS = sized(250, 100_000);
const SEED = Number(process.env["STORE_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
const PAGES = [1, 2, 3] as const;
/** A stored state with a few items of each kind. */
const BATCHES = 16;
const STREAMS = 4;

let database: ReturnType<typeof newDatabase> | undefined;
afterAll(async () => (await database)?.end());

it.skipIf(postgresIsMissing !== undefined)(
  `${READS} paged reads from every start agree in memory, SQLite and PostgreSQL (seed ${SEED})`,
  { timeout: 60_000 + READS * 20 },
  async () => {
    const { url, empty } = await (database ??= newDatabase(inject("sharedPostgres")));
    const chance = new Chance(SEED);
    let reads = 0;
    for (let states = 0; reads < READS; states += 1) {
      await empty();
      using directory = temporaryDirectory();
      const sqlite = await openSqliteStore({ directory: directory.path });
      const blobs = chance.below(2) === 0 ? { blobs: new MemoryBlobs() } : {};
      const postgres = await openIn(url, blobs);
      const truth = createMemoryStore();
      const held = await fill(truth, [sqlite, postgres], chance);
      await postgres.close();
      for (const rows of PAGES) {
        const searchPage = rows;
        const paging = await openIn(url, { ...blobs, searchPage });
        const stores = { truth, others: [sqlite, paging] };
        for (const { all } of await everyPagedRead(truth, held)) reads += await all(stores, rows);
        expect(await paging.check()).toEqual([]);
        await paging.close();
      }
      await sqlite.close();
    }
  },
);

/** Stores equal random batches in each of them. */
async function fill(truth: Store, others: readonly Store[], chance: Chance): Promise<Held> {
  const owner = await Owner.of(truth);
  const known = new RandomBatches(chance, owner);
  const flush = async (rows: readonly JobRow[], changes: readonly Change[]) => {
    for (const store of others)
      await store.flush(owner.batchOf(rows, await stagedFor(store, changes)));
    await owner.flush(rows, changes);
  };
  for (let made = 0; made < BATCHES; made += 1) {
    const { rows, changes, fits, stored } = known.next();
    if (!fits) continue;
    await flush(rows, changes);
    stored();
    known.deliveries = await truth.deliveries.list({}, 100);
  }
  const jobs = [...known.jobs.values()];
  const streams = jobs.slice(0, STREAMS).map(({ seq }) => seq);
  for (const seq of streams) await flush([], stream(seq, chance));
  const usageIds = Array.from({ length: chance.below(8) }, (_, at) => `use-${at}${"ü".repeat(at)}`);
  await flush(
    [],
    usageIds.map((id) => ({ type: "put-record", kind: "usage", id, record: usageOf(id) })),
  );
  const filters = [
    {},
    { endpointId: jobs[0]?.endpointId, statuses: ["IN_QUEUE", "FAILED"] as const },
    { search: chance.pick(["e1", "ü", "0190"]), since: known.now - chance.below(60_000) },
    { until: known.now - chance.below(30_000), statuses: ["FAILED"] as const },
  ];
  return { jobs, streams, usageIds: [...usageIds, "a", "b"], filters };
}

/** Replaces the stored data by up to nine batches of up to three chunks each. */
function stream(seq: number, chance: Chance): readonly Change[] {
  const changes: Change[] = [{ type: "remove-chunks", ...under({ seq }) }];
  let next = 0;
  for (let left = chance.below(10); left > 0; left -= 1) {
    const texts = Array.from({ length: 1 + chance.below(3) }, (_, at) => `chunk ${next + at}`);
    changes.push({ type: "append-chunks", ...under({ seq }), batch: batch(next, ...texts) });
    next += texts.length;
  }
  return changes;
}
