/** Requirements on a database, and messages about one that does not meet them. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  StoreDamagedError,
  StoreFullError,
  StoreUnusableError,
} from "../../../../emulator/core/store-error.ts";
import { SCHEMA_VERSION } from "../../../../emulator/store/postgres/schema.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { bytesAt, inserted, Owner, pattern, put } from "../../../contract/store/subject.ts";
import { postgresIsMissing, startPostgres } from "../../../setup/postgres.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../../setup/tmpfs.ts";
import fs from "node:fs";
import path from "node:path";
import { testInFull } from "../../../setup/size.ts";
import { startTcpProxy } from "../../../setup/tcp-proxy.ts";
import { SOON, testDatabase, through } from "./database.ts";
import { startPooler } from "./pooler.ts";

describe.skipIf(postgresIsMissing !== undefined)("a database", () => {
  it("that acknowledges writes before they are on disk is refused", async () => {
    await using database = await testDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    const refused = openIn(database.url);
    await expect(refused).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(refused).rejects.toThrow("synchronous_commit is off");
  });

  it("behind a pooler is refused at once, whether the pooler accepts the settings or not", async () => {
    await using database = await testDatabase();
    const deaf = `${database.url}?options=-c%20search_path%3Dpublic`;
    for (const pooled of [
      await startPooler(Number(new URL(database.url).port)),
      await startPooler(undefined),
    ]) {
      await using pooler = pooled;
      const refused = openIn(through(deaf, pooler.port));
      await expect(refused).rejects.toBeInstanceOf(StoreUnusableError);
      await expect(refused).rejects.toThrow("a pooler such as PgBouncer answers");
    }
  });

  it.each([
    ["current_setting", "cut-reply", undefined],
    ["INSERT INTO replica", "cut-before", undefined],
    ["INSERT INTO replica", "cut-reply", "INSERT 0 1"],
    ["DELETE FROM former_replica", "cut-before", undefined],
    ["DELETE FROM former_replica", "cut-reply", "COMMIT"],
    ["UPDATE service_clock", "cut-before", undefined],
    ["UPDATE service_clock", "cut-reply", "UPDATE 1"],
  ] as const)(
    "that drops a start's connection at %s (%s) is waited for, as in a running process",
    async (words, fate, reply) => {
      await using database = await testDatabase();
      await (await openIn(database.url)).close();
      await using proxy = await startTcpProxy(Number(new URL(database.url).port));
      const cut = proxy.cutAt(words, fate, reply);
      const owner = await database.open({ url: through(database.url, proxy.port) });
      await cut;
      const job = await owner.insert();
      expect(await owner.store.job(job.id)).toEqual(job);
    },
  );

  it.each([
    ["a newer", "UPDATE migration SET version = 999, readable_by = 999", 999],
    ["an older", "UPDATE migration SET version = 7, readable_by = 7", 7],
    ["an older", "ALTER TABLE migration DROP COLUMN readable_by", 1],
  ])("of %s version is refused, and stays as it is: %s", async (age, sql, version) => {
    await using database = await testDatabase();
    const owner = await database.open();
    await owner.store.close();
    await database.admin.query(sql);
    const refused = openIn(database.url, { times: SOON });
    await expect(refused).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(refused).rejects.toThrow(`${age} version of sv-runtime (its schema is ${version}`);
    const { rowCount } = await database.admin.query("SELECT 1 FROM owner WHERE replica IS NULL");
    expect(rowCount).toBe(64);
  });

  it("that two processes open for the first time at once is created once, and one of them gets it", async () => {
    await using database = await testDatabase();
    const opened = await Promise.allSettled(
      ["one", "two"].map((replica) => openIn(database.url, { replica, times: SOON })),
    );
    const stores = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(stores).toHaveLength(1);
    for (const store of stores) await store.close();
    const { rows } = await database.admin.query("SELECT version FROM migration ORDER BY version");
    expect(rows).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it("has the tables of the store in the schema of its address", async () => {
    await using database = await testDatabase();
    const one = await database.open();
    const two = await database.open({ url: `${database.url}?schema=another` });
    await one.insert({ id: "of one" });
    expect(await two.store.job("of one")).toBeUndefined();
    await expect(openIn(`${database.url}?schema=a"b`)).rejects.toThrow("the schema");
    await expect(openIn("mysql://x/y")).rejects.toThrow("must begin with postgres://");
  });

  it("that is missing is reported as unusable, without its password", async () => {
    const url = "postgres://someone:secret@127.0.0.1:1/none";
    const refused = openIn(url, { times: SOON });
    await expect(refused).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(refused).rejects.not.toThrow("secret");
  });

  it("with a long-held snapshot causes a warning with the snapshot's age", async () => {
    await using database = await testDatabase();
    await database.admin.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    const warned = Promise.withResolvers<string>();
    const ages: number[] = [];
    const times = { ...SOON, lookAtSnapshotsEvery: 100, oldSnapshot: 300 };
    const onSnapshotAge = (ageMs: number) => void ages.push(ageMs);
    await database.open({ warn: warned.resolve, onSnapshotAge, times });
    expect(await warned.promise).toMatch(/process \d+.* holds a snapshot of the database/);
    expect(ages.at(-1)).toBeGreaterThanOrEqual(300);
    await database.admin.query("ROLLBACK");
    await expect.poll(() => ages.at(-1)).toBeLessThan(300);
  });

  it("stores texts that PostgreSQL does not accept as text", async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const odd = ["a\u0000b", "\ud800", "x\udfffy\u0000\ufffd\u{1F600}", "\ufffd"];
    const jobs = await owner.insertMany(...odd.map((id) => ({ id, endpointId: id })));
    for (const job of jobs) {
      expect(await owner.store.job(job.id)).toStrictEqual(job);
      expect(await owner.store.jobsOf(job.endpointId, 0, 9)).toStrictEqual([job]);
    }
    await owner.store.close();
    const again = await database.open();
    expect([...again.counts.keys()].toSorted()).toEqual(odd.toSorted());
  });

  it("with a payload that was changed from outside reports the damage, and continues", async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const job = owner.newJob();
    const [input, output] = [pattern(100), pattern(200)].map(
      (bytes) => ({ kind: "inline", bytes }) as const,
    );
    if (input === undefined || output === undefined) throw new Error("two payloads were made");
    await owner.flush([inserted(job)], [put(job, "input", input), put(job, "output", output)]);
    await database.admin.query("UPDATE payload SET body = body || '\\x00' WHERE place % 4 = 1");
    expect((await bytesAt(owner.store, job.seq, "input"))?.equals(pattern(100))).toBe(true);
    await expect(bytesAt(owner.store, job.seq, "output")).rejects.toThrow("is damaged");
    await owner.insert();
  });

  it("with a damaged page is reported once, and the store stops working", async () => {
    await using postgres = await startPostgres();
    await using database = await testDatabase(postgres.url());
    const first = await database.open();
    const job = await first.insert();
    await first.store.close();
    const { rows } = await database.admin.query<{ file: string }>(
      "SELECT pg_relation_filepath('job') AS file",
    );
    await postgres.stop();
    const file = path.join(postgres.data, rows[0]?.file ?? "");
    const page = fs.readFileSync(file);
    fs.writeFileSync(file, page.fill(page[8_000] === 1 ? 2 : 1, 8_000, 8_001));
    await postgres.start();
    const damage: string[] = [];
    const owner = await database.open({ onDamage: ({ message }) => void damage.push(message) });
    await expect(owner.store.job(job.id)).rejects.toBeInstanceOf(StoreDamagedError);
    await expect(owner.insert()).rejects.toBeInstanceOf(StoreDamagedError);
    expect(damage).toEqual([
      expect.stringMatching(/is damaged: invalid page .*stop the emulator and restore a backup/u),
    ]);
  });

  it("without page checksums causes a warning at the start", async () => {
    const told: string[] = [];
    const warn = (sentence: string) => void told.push(sentence);
    await using checking = await testDatabase();
    await checking.open({ warn });
    expect(told.join()).not.toContain("data_checksums");
    await using postgres = await startPostgres();
    await postgres.stop();
    const { uid, gid } = fs.statSync(postgres.data);
    const [program = ""] = fs.globSync("/usr/lib/postgresql/*/bin/pg_checksums").toReversed();
    execFileSync(program, ["--disable", "-D", postgres.data], { uid, gid });
    await postgres.start();
    await using database = await testDatabase(postgres.url());
    await database.open({ warn });
    expect(told.join()).toContain("data_checksums is off");
  });

  testInFull(
    "on a full disk accepts nothing more, loses nothing, and continues when there is room",
    async ({ skip }) => {
      skip(tmpfsIsMissing !== undefined, tmpfsIsMissing);
      await using postgres = await startPostgres();
      using disk = mountTmpfs(40_000_000);
      const { uid, gid } = fs.statSync("/var/lib/postgresql");
      fs.chownSync(disk.path, uid, gid);
      await using database = await testDatabase(postgres.url());
      const owner = await database.open();
      await database.admin.query(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
      await database.admin.query("ALTER TABLE payload SET TABLESPACE small");
      const ballast = path.join(disk.path, "ballast");
      fs.writeFileSync(ballast, pattern(20_000_000));
      const job = await owner.insert();
      const output = put(job, "output", { kind: "inline", bytes: pattern(25_000_000) });
      await expect(owner.change(output)).rejects.toBeInstanceOf(StoreFullError);
      expect(await owner.store.job(job.id)).toEqual(job);
      expect(await owner.store.payload(job.seq, "output")).toBeUndefined();
      const another = await owner.insert();
      fs.rmSync(ballast);
      await database.admin.query("VACUUM FULL payload");
      await owner.change(output);
      expect((await bytesAt(owner.store, job.seq, "output"))?.length).toBe(25_000_000);
      await owner.store.close();
      const again = await Owner.of((await database.open()).store);
      expect(await again.store.waitingJobs("hello", 0, 9)).toEqual([job, another]);
      await again.store.close();
      await postgres.stop("SIGQUIT");
    },
  );
});
