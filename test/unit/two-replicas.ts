/**
 * Databases for two replicas. One owns all partitions; the other counts as new for the whole test, so it forwards
 * all requests to the first.
 */
import { inject } from "vitest";
import type { PostgresStore } from "../../emulator/store/postgres/postgres-store.ts";
import { newDatabase, openIn } from "../contract/store/postgres-subject.ts";

/** Every request goes first to a replica that owns nothing, which forwards it to the owner. */
export const IS_FORWARDED = process.env["SV_TEST_FORWARDED"] === "1";

/** No replica settles by itself, and no lease ends, within a test. */
const TIMES = { lease: 600_000, settle: 600_000 };

/** The address before it is known. */
const NOWHERE = "http://127.0.0.1:1";

/** Makes all present replicas settled, at that address. */
const SETTLE = "UPDATE sv_runtime.replica SET begun_at = begun_at - 86400000, address = $1";

type Database = Awaited<ReturnType<typeof newDatabase>>;

/** Unused, empty databases; they stay until the server ends. */
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

  /**
   * Lets the first replica keep everything, whoever joins.
   * @param address its address
   */
  async settle(address: string): Promise<void> {
    await this.#database.client.query(SETTLE, [address]);
  }

  /** Call this when a store is closed: after the last one the database is not needed. */
  async left(): Promise<void> {
    this.#joined -= 1;
    if (this.#joined > 0) return;
    await this.#database.empty();
    free.push(this.#database);
  }
}
