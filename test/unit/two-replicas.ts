/**
 * Databases for two replicas, of which one has all partitions: the other one has just come as long as a test lasts, so that all it is
 * asked goes on to the first.
 */
import { inject } from "vitest";
import type { PostgresStore } from "../../emulator/store/postgres/postgres-store.ts";
import { newDatabase, openIn } from "../contract/store/postgres-subject.ts";

/** Every request goes to a replica first that has nothing, and passes it on to the one that has everything. */
export const IS_FORWARDED = process.env["SV_TEST_FORWARDED"] === "1";

/** No replica has settled by itself, and no lease runs out, before a test has ended. */
const TIMES = { lease: 600_000, settle: 600_000 };

/** Before it is known. */
const NOWHERE = "http://127.0.0.1:1";

/** Whoever is there has settled, and is reached at that address. */
const SETTLE = "UPDATE sv_runtime.replica SET begun_at = begun_at - 86400000, address = $1";

type Database = Awaited<ReturnType<typeof newDatabase>>;

/** Those that no test uses at the moment, with nothing in them; left to the server's end. */
const free: Database[] = [];

export class TwoReplicas {
  readonly #database: Database;
  #joined = 0;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(): Promise<TwoReplicas> {
    return new TwoReplicas(free.pop() ?? (await newDatabase(inject("sharedPostgres"))));
  }

  async join(): Promise<PostgresStore> {
    const store = await openIn(this.#database.url, { advertise: NOWHERE, times: TIMES });
    this.#joined += 1;
    return store;
  }

  /** The one that is there keeps all that it has, whoever comes. @param address at which it is reached */
  async settle(address: string): Promise<void> {
    await this.#database.client.query(SETTLE, [address]);
  }

  /** To be called when the store of one is closed: without any nobody needs the database. */
  async left(): Promise<void> {
    this.#joined -= 1;
    if (this.#joined > 0) return;
    await this.#database.empty();
    free.push(this.#database);
  }
}
