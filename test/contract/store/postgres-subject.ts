/** Stores in one PostgreSQL database, for suites that open many: each begins with empty tables. */
import pg from "pg";
import { afterAll } from "vitest";
import { createSystemClock } from "../../../emulator/assembly/system-clock.ts";
import type { Blobs } from "../../../emulator/store/blobs/blobs.ts";
import type { PostgresStoreOptions } from "../../../emulator/store/postgres/options.ts";
import { openPostgresStore } from "../../../emulator/store/postgres/postgres-store.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import type { OpenSubject } from "./subject.ts";

const TABLES = [
  ...["writer", "queue", "job", "payload", "chunk_batch", "record", "delivery", "report"],
  ...["removed_record", "replica", "former_replica"],
];
const EMPTIED = `${TABLES.map((table) => `DELETE FROM sv_runtime.${table};`).join(" ")}
  UPDATE sv_runtime.service_clock SET offset_ms = 0, highest = 0`;

export function openIn(url: string, options: Partial<PostgresStoreOptions> = {}) {
  const replica = `test-${crypto.randomUUID()}`;
  return openPostgresStore({ url, replica, clock: createSystemClock(), ...options });
}

/**
 * Call this where tests are declared.
 * @param door that of the shared server
 * @param blobs where large payloads lie; by default in the database
 */
export function postgresSubjects(door: string, blobs?: Blobs): OpenSubject {
  const options = blobs && { blobs };
  let database: ReturnType<typeof newDatabase> | undefined;
  afterAll(async () => (await database)?.end());
  return async () => {
    const { url, empty } = await (database ??= newDatabase(door));
    await empty();
    const store = await openIn(url, options);
    let latest = store;
    return {
      store,
      async reopen() {
        await latest.close();
        latest = await openIn(url, options);
        return latest;
      },
      [Symbol.asyncDispose]: () => latest.close(),
    };
  };
}

/** A database with all tables on the server behind the socket `door`, and a function that empties them. */
export async function newDatabase(door: string) {
  const url = await freshDatabase(door);
  await (await openIn(url)).close();
  // Its data need not be durable.
  const client = new pg.Client({ connectionString: url, options: "-c synchronous_commit=off" });
  client.on("error", () => undefined);
  await client.connect();
  return { url, client, empty: () => client.query(EMPTIED), end: () => client.end() };
}
