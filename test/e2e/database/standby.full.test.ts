/** The store with a streaming standby, which takes over for a lost server. */
import pg from "pg";
import { describe, expect, it } from "vitest";
import { type StoreLostError, StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { openIn } from "../../contract/store/postgres-subject.ts";
import { type Postgres, postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { sharedDatabase } from "../../contract/ownership/postgres-shared.ts";
import { POLLED } from "../../contract/ownership/shared-subject.ts";
import { SOON, testDatabase, through } from "../../unit/store/postgres/database.ts";
import { begun } from "../../unit/store/postgres/replica.ts";

const portOf = (postgres: Postgres) => Number(new URL(postgres.url()).port);

/** The database address with both servers. */
function either(one: Postgres, two: Postgres): string {
  return `postgres://postgres@127.0.0.1:${portOf(one)},127.0.0.1:${portOf(two)}/postgres?target_session_attrs=read-write`;
}

async function told(postgres: Postgres, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const beSynchronous = (postgres: Postgres) =>
  told(
    postgres,
    "ALTER SYSTEM SET synchronous_standby_names = '*'",
    "SELECT pg_reload_conf()",
    // Waits until the standby has the data.
    "CREATE TABLE waited ()",
  );

/** Warning of a start with a database user that may not see the kind of the standby. */
async function warnedOf(postgres: Postgres): Promise<readonly string[]> {
  await told(postgres, "CREATE ROLE someone LOGIN; GRANT CREATE ON DATABASE postgres TO someone");
  const warned: string[] = [];
  const by = new URL(postgres.url());
  by.username = "someone";
  const warn = (sentence: string) => void warned.push(sentence);
  await (await openIn(`${by.href}?schema=of_someone`, { warn })).close();
  return warned;
}

describe.skipIf(postgresIsMissing !== undefined)("a store on two servers", () => {
  it("loses nothing when the synchronous standby takes over, which it finds by an address of both servers", async () => {
    await using primary = await startPostgres();
    await using standby = await primary.standby();
    await beSynchronous(primary);
    await using database = await testDatabase(primary.url());
    const warned: string[] = [];
    const warn = (sentence: string) => void warned.push(sentence);
    const owner = await database.open({ url: either(standby, primary), warn });
    const jobs = [await owner.insert(), await owner.insert()];
    expect(warned).toEqual([]);
    await primary.stop("SIGQUIT");
    const waiting = owner.insert();
    await told(standby, "SELECT pg_promote()", "ALTER SYSTEM RESET synchronous_standby_names");
    await told(standby, "SELECT pg_reload_conf()");
    jobs.push(await waiting, await owner.insert());
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual(jobs);
  });

  it("refuses to start on a standby, ends when its server becomes one, and continues when its address leads to the primary", async () => {
    await using primary = await startPostgres();
    await using standby = await primary.standby();
    await beSynchronous(primary);
    expect(await warnedOf(primary)).toEqual([]);
    await expect(openIn(standby.url())).rejects.toThrow(StoreUnusableError);
    await expect(openIn(standby.url())).rejects.toThrow("it is a standby, which cannot be written");
    await using proxy = await startTcpProxy(portOf(primary));
    await using database = await testDatabase(primary.url());
    const owner = await database.open({ url: through(primary.url(), proxy.port) });
    const jobs = [await owner.insert()];
    await told(standby, "SELECT pg_promote()", "ALTER SYSTEM RESET synchronous_standby_names");
    await told(standby, "SELECT pg_reload_conf()");
    await primary.demote();
    const waiting = owner.insert();
    const asked = owner.store.waitingJobs("hello", 0, 9);
    proxy.leadTo(portOf(standby));
    jobs.push(await waiting);
    expect((await asked).length).toBeGreaterThan(0);
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual(jobs);
  });

  it("acknowledges nothing while the synchronous standby is away, and continues when it is back", async () => {
    await using primary = await startPostgres();
    await using standby = await primary.standby();
    await beSynchronous(primary);
    await using shared = sharedDatabase(primary.url());
    const times = { answer: 1_000, patience: 500 };
    const one = await begun(shared, "short", { times });
    const first = await one.insert("a");
    await standby.stop("SIGQUIT");
    await expect(one.insert("a")).rejects.toBeInstanceOf(Error);
    await standby.start();
    await expect
      .poll(
        () =>
          one.insert("a").then(
            ({ id }) => id,
            () => "",
          ),
        POLLED,
      )
      .not.toBe("");
    const stored = await one.store.jobsOf("a", 0, 9);
    expect(stored.map(({ id }) => id)).toContain(first.id);
    expect(one.counts.get("a")?.inQueue).toBe(stored.length);
  });

  it("warns that an asynchronous standby lacks the latest acknowledged data, and ends when it does", async () => {
    await using primary = await startPostgres();
    await using standby = await primary.standby();
    expect(await warnedOf(primary)).toEqual([
      expect.stringContaining("asynchronous standbys (1): a failover"),
    ]);
    await using database = await testDatabase(primary.url());
    const lost: StoreLostError[] = [];
    const onLost = (error: StoreLostError) => void lost.push(error);
    const owner = await database.open({ url: either(primary, standby), onLost, times: SOON });
    await owner.insert();
    await expect
      .poll(async () => (await told(standby, "SELECT FROM sv_runtime.job"), true))
      .toBe(true);
    await told(standby, "SELECT pg_wal_replay_pause()");
    await standby.stop("SIGQUIT");
    await owner.insert();
    await primary.stop("SIGQUIT");
    await standby.start();
    const refused = owner.insert();
    // The start may be refused before the promotion is reported as done.
    void refused.catch(() => undefined);
    await told(standby, "SELECT pg_promote()");
    await expect(refused).rejects.toThrow("a standby that lagged behind took over");
    expect(lost).toHaveLength(1);
  });
});
