/** A database for one test, and stores in it. */
import pg from "pg";
import { inject } from "vitest";
import type { PostgresStoreOptions } from "../../../../emulator/store/postgres/options.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { Owner } from "../../../contract/store/subject.ts";
import { freshDatabase } from "../../../setup/shared-postgres.ts";

/** Interval of retries, short for tests. */
export const SOON = { lease: 600, margin: 100, renewEvery: 50, retry: 20, reconnectFor: 10_000 };

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly admin: pg.Client;
  /** Opens a store, which is closed at the end, and its owner. */
  open(options?: Partial<PostgresStoreOptions>): Promise<Owner>;
}

/** @param url that of a database; by default a new one of the shared server */
export async function testDatabase(url?: string): Promise<TestDatabase> {
  const own = url ?? (await freshDatabase(inject("sharedPostgres")));
  const admin = new pg.Client({ connectionString: own, options: "-c search_path=sv_runtime" });
  // A server that is stopped cuts it off.
  admin.on("error", () => undefined);
  await admin.connect();
  const opened: Owner[] = [];
  return {
    url: own,
    admin,
    async open(options) {
      const store = await openIn(own, { times: SOON, ...options });
      const owner = await Owner.of(store);
      opened.push(owner);
      return owner;
    },
    async [Symbol.asyncDispose]() {
      for (const { store } of opened) await store.close();
      await admin.end().catch(() => undefined);
    },
  };
}

/** The address of the same database by another port. */
export function through(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}
