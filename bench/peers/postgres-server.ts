/** A PostgreSQL server of the benchmark's own, on the disk that is measured. */
import fs from "node:fs";
import pg from "pg";
import { type Bench, newFolder } from "../bench.ts";

/** Settings of a larger server. Commits are synced, as by default. */
const SETTINGS = ["max_connections=250", "shared_buffers=512MB", "max_wal_size=2GB"];

export interface PostgresServer extends AsyncDisposable {
  /** Its first process, the parent of all others. */
  readonly pid: number;
  /** Makes a database. Returns its address. */
  database(name: string): Promise<string>;
}

/** @throws Error that names what is missing if there is no server and none can be installed */
export async function startPostgresServer(bench: Bench): Promise<PostgresServer> {
  // Imported here because it installs the server.
  const { postgresIsMissing, startPostgres } = await import("../../test/setup/postgres.ts");
  if (postgresIsMissing !== undefined) throw new Error(postgresIsMissing);
  const folder = newFolder(bench, "postgres");
  // The server's user must be able to reach its files.
  for (const each of [bench.folder, folder]) fs.chmodSync(each, 0o711);
  const server = await startPostgres(SETTINGS, folder);
  return {
    pid: server.pid() ?? 0,
    async database(name) {
      const client = new pg.Client({ connectionString: server.url() });
      await client.connect();
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      await client.end();
      return server.url(name);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
