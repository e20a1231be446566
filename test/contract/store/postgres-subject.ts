/** Stores in one PostgreSQL database, for suites that open many: each begins with empty tables. */
import pg from "pg";
import { createSystemClock } from "../../../emulator/assembly/system-clock.ts";
import type { PostgresStoreOptions } from "../../../emulator/store/postgres/options.ts";
import { openPostgresStore } from "../../../emulator/store/postgres/postgres-store.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import type { Blobs } from "../../../emulator/store/blobs/blobs.ts";
import type { OpenSubject } from "./subject.ts";

const TABLES = "writer, queue, job, payload, chunk_batch, record, delivery, report".split(", ");

export function openIn(url: string, options: Partial<PostgresStoreOptions> = {}) {
  const replica = `test-${crypto.randomUUID()}`;
  return openPostgresStore({ url, replica, clock: createSystemClock(), ...options });
}

/**
 * @param door that of the shared server
 * @param blobs where large payloads lie; by default in the database
 */
export function postgresSubjects(door: string, blobs?: Blobs): OpenSubject {
  const options = blobs && { blobs };
  let database: Promise<string> | undefined;
  return async () => {
    const url = await (database ??= freshDatabase(door));
    await emptied(url);
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

async function emptied(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(
    "SELECT 1 FROM pg_namespace WHERE nspname = 'sv_runtime'",
  );
  if (rowCount === 1) {
    const deletions = TABLES.map((table) => `DELETE FROM sv_runtime.${table};`);
    await client.query(
      `BEGIN; ${deletions.join(" ")} UPDATE sv_runtime.owner SET replica = NULL; COMMIT`,
    );
  }
  await client.end();
}
