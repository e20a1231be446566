/** Cut connections to the database: callers learn the real outcome of a batch, and no batch is stored twice. */
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { StoreLostError, StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { handedOver, inserted, Owner } from "../../../contract/store/subject.ts";
import { postgresIsMissing, startPostgres } from "../../../setup/postgres.ts";
import { sized } from "../../../setup/size.ts";
import { startTcpProxy } from "../../../setup/tcp-proxy.ts";
import { SOON, testDatabase, through } from "./database.ts";

const portOf = (url: string) => Number(new URL(url).port);

describe.skipIf(postgresIsMissing !== undefined)("a store after the loss of its connection", () => {
  it.each(["cut-before", "cut-reply"] as const)(
    "%s: a batch with a running COMMIT is stored once, and its owner is informed",
    async (fate) => {
      await using database = await testDatabase();
      await using proxy = await startTcpProxy(portOf(database.url));
      const owner = await database.open({ url: through(database.url, proxy.port) });
      const first = await owner.insert();
      const cut = proxy.cutAt("COMMIT", fate);
      await owner.replace(first, handedOver(first));
      await cut;
      const second = await owner.insert();
      expect(await owner.store.job(first.id)).toEqual(handedOver(first));
      expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual([second]);
      expect((await owner.store.boot()).batch).toBe(3);
    },
  );

  it("stores every batch once, although its backend is killed at any moment", async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const jobs = [];
    for (let made = 0; made < sized(40, 1_000); made += 1) {
      const storing = owner.insert();
      for (let turns = made % 12; turns > 0; turns -= 1) await new Promise(setImmediate);
      await database.admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      jobs.push(await storing);
    }
    expect(await owner.store.waitingJobs("hello", 0, 9_999)).toEqual(jobs);
    expect((await owner.store.boot()).batch).toBe(jobs.length);
  });

  it("logs one line for one connection, and one for all connections that a server ends together", async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(portOf(database.url));
    const warned: string[] = [];
    let passedMs = 0;
    const clock = createSystemClock();
    const owner = await database.open({
      url: through(database.url, proxy.port),
      warn: (sentence) => void warned.push(sentence),
      clock: { ...clock, now: () => clock.now() + passedMs },
    });
    const cut = proxy.cutAt("COMMIT", "cut-reply");
    await owner.insert();
    await cut;
    const said =
      /^a connection to the database was lost, and is opened again: Connection terminated/;
    expect(warned).toEqual([expect.stringMatching(said)]);
    passedMs = 6_000;
    await owner.insert();
    await owner.store.nextDueAt();
    await database.admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await owner.insert();
    await owner.store.nextDueAt();
    // A query under way may meet the end of its connection before the server's reason.
    const ended =
      /was lost, and is opened again: (?:terminating connection due to administrator command|read ECONNRESET|write EPIPE|Connection terminated unexpectedly)$/;
    expect(warned.slice(1)).toEqual([expect.stringMatching(ended)]);
    await owner.store.close();
    expect(warned).toHaveLength(2);
  });

  it("gives a batch up if the database is away for long: it is not stored, and the next one is", async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(portOf(database.url));
    const url = through(database.url, proxy.port);
    const said: unknown[] = [];
    const heard = Promise.withResolvers<void>();
    const onRemoval = (away: Error | undefined) => {
      said.push(away);
      if (away === undefined) heard.resolve();
    };
    const times = { ...SOON, lease: 1_000, reconnectFor: 300 };
    const owner = await database.open({ url, onRemoval, times });
    proxy.close();
    await expect(owner.insert()).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(owner.store.nextDueAt()).rejects.toBeInstanceOf(StoreUnusableError);
    await expect.poll(() => said.length).toBe(1);
    await proxy.open();
    await heard.promise;
    expect(said).toEqual([expect.any(StoreUnusableError), undefined]);
    const job = await owner.insert();
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual([job]);
  });

  it("stops working if a given-up batch was stored after all", async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(portOf(database.url));
    const url = through(database.url, proxy.port);
    const lost: unknown[] = [];
    const onLost = (error: unknown) => void lost.push(error);
    const times = { ...SOON, lease: 60_000, reconnectFor: 300 };
    const owner = await database.open({ url, onLost, times });
    const cut = proxy.cutAt("COMMIT", "cut-reply").then(() => proxy.close());
    await expect(owner.insert()).rejects.toBeInstanceOf(StoreUnusableError);
    await cut;
    await proxy.open();
    await expect(owner.insert()).rejects.toThrow("a batch that was given up");
    await expect(owner.store.nextDueAt()).rejects.toBeInstanceOf(StoreLostError);
    expect(lost).toEqual([expect.any(StoreLostError)]);
  });

  it("continues after a restart of the server, and loses nothing", async () => {
    await using postgres = await startPostgres();
    await using database = await testDatabase(postgres.url());
    const owner = await database.open();
    const jobs = [await owner.insert()];
    for (const signal of sized(["SIGQUIT"] as const, ["SIGQUIT", "SIGINT"] as const)) {
      const stopped = postgres.stop(signal);
      const waiting = owner.insert();
      await stopped;
      const asked = owner.store.waitingJobs("hello", 0, 9);
      await postgres.start();
      expect((await asked).length).toBeGreaterThanOrEqual(jobs.length);
      jobs.push(await waiting);
    }
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual(jobs);
    await owner.store.close();
    const again = await Owner.of((await database.open()).store);
    await again.flush([inserted(again.newJob())]);
    expect((await again.store.boot()).batch).toBe(jobs.length + 1);
  });

  it("continues when a database that was read-only for a while is writable again", async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const name = new URL(database.url).pathname.slice(1);
    const read = (only: "on" | "off") =>
      database.admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${only}`);
    await read("on");
    await database.admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    const waiting = owner.insert();
    await expect.poll(async () => (await owner.store.waitingJobs("hello", 0, 9)).length).toBe(0);
    await database.admin.query("SET default_transaction_read_only = off");
    await read("off");
    const job = await waiting;
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual([job]);
  });

  it("finds the answering server of several in an address", async () => {
    await using database = await testDatabase();
    const { port, pathname } = new URL(database.url);
    const hosts = `127.0.0.1:1,127.0.0.1:${port}`;
    const url = `postgres://postgres@${hosts}${pathname}?target_session_attrs=read-write`;
    const owner = await database.open({ url });
    const job = await owner.insert();
    expect(await owner.store.job(job.id)).toEqual(job);
    const none = openIn(`postgres://someone:secret@127.0.0.1:1,127.0.0.1:2${pathname}`);
    await expect(none).rejects.toThrow(
      `127.0.0.1:1,127.0.0.1:2${pathname} cannot be used: connect`,
    );
  });
});
