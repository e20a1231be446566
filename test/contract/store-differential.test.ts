/**
 * Random batches, valid and invalid ones, go to the memory store and to a durable one. The durable store sometimes
 * loses its thread or its connections while it writes. Both accept and refuse the same batches and answer every
 * read alike, and a recount of the stored data confirms it. STORE_SEED repeats the choices of an earlier run.
 */
import pg from "pg";
import { expect, inject, it } from "vitest";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { postgresIsMissing } from "../setup/postgres.ts";
import { freshDatabase } from "../setup/shared-postgres.ts";
import { sized } from "../setup/size.ts";
import { watchStoreThreads } from "../setup/store-threads.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { playBatches, someTurns } from "./store/differential-run.ts";
import { MemoryBlobs } from "./store/memory-blobs.ts";
import { openIn } from "./store/postgres-subject.ts";
import { Chance } from "./store/random-batches.ts";
import { TEST_MS } from "../setup/patience.ts";

const BATCHES = sized(250, 100_000);
const IN_DATABASE = sized(50, 10_000);
const SEED = Number(process.env["STORE_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

it(
  `memory and SQLite accept, refuse and answer ${BATCHES} random batches alike (seed ${SEED})`,
  { timeout: Math.max(TEST_MS, BATCHES * 60) },
  async () => {
    using directory = temporaryDirectory();
    using threads = await watchStoreThreads();
    const chance = new Chance(SEED);
    const killEvery = sized(100, 300);
    await playBatches({
      disk: await openSqliteStore({ directory: directory.path }),
      ...{ chance, batches: BATCHES, compareAllEvery: 250, killEvery },
      async kill() {
        const thread = threads.started.at(-1);
        await someTurns(chance, 4);
        await thread?.terminate();
      },
    });
    expect(threads.started.length).toBeGreaterThan(BATCHES / killEvery);
  },
);

it.skipIf(postgresIsMissing !== undefined).each(["in its rows", "beside it"])(
  `memory and PostgreSQL with large payloads %s accept, refuse and answer ${IN_DATABASE} random batches alike (seed ${SEED})`,
  { timeout: 60_000 + IN_DATABASE * 300 },
  async (place) => {
    const url = await freshDatabase(inject("sharedPostgres"));
    const chance = new Chance(SEED);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    let killed = 0;
    const blobs = place === "beside it" ? { blobs: new MemoryBlobs() } : {};
    await playBatches({
      disk: await openIn(url, { ...blobs, times: { retry: 5 } }),
      ...{ chance, batches: IN_DATABASE, compareAllEvery: 50, killEvery: 10 },
      async kill() {
        await someTurns(chance, 12);
        const { rowCount } = await admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        killed += rowCount ?? 0;
      },
    });
    await admin.end();
    expect(killed).toBeGreaterThan(IN_DATABASE / 10);
  },
);
