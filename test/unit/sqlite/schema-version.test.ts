/** Databases that are created, opened and refused. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { makeTables } from "../../../emulator/sqlite/schema-version.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { Owner } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const SCHEMA = { version: 7, sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a');" };

function countOf(db: DatabaseSync): unknown {
  return db.prepare("SELECT count(*) AS count FROM note").get()?.["count"];
}

it("a new database gets all its tables at once or none, and keeps them", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "store.db");
  const broken = new DatabaseSync(file);
  const sql = `${SCHEMA.sql} INSERT INTO nowhere VALUES (1);`;
  expect(() => makeTables(broken, "file", { ...SCHEMA, sql })).toThrow("nowhere");
  broken.close();
  using db = new DatabaseSync(file);
  makeTables(db, "file", SCHEMA);
  makeTables(db, "file", SCHEMA);
  expect(countOf(db)).toBe(1);
});

it.each([
  ["an older", 8],
  ["a newer", 6],
])("a database of %s version is refused and unchanged", (age, version) => {
  using db = new DatabaseSync(":memory:");
  makeTables(db, "data/store.db", SCHEMA);
  const refused = () => makeTables(db, "data/store.db", { ...SCHEMA, version });
  expect(refused).toThrow(StoreUnusableError);
  expect(refused).toThrow(
    `data/store.db was written by ${age} version of sv-runtime (its schema is 7, this one knows ${version})`,
  );
  makeTables(db, "data/store.db", SCHEMA);
  expect(countOf(db)).toBe(1);
});

it("the database of another program is refused and unchanged", () => {
  using db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE theirs (x)");
  expect(() => makeTables(db, "data/store.db", SCHEMA)).toThrow("the database of another program");
  expect(db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()).toEqual({ tables: 1 });
});

it.each([1, 999])(
  "a store with the schema %i does not open, and loses nothing",
  async (version) => {
    using temporary = temporaryDirectory();
    const store = await openSqliteStore({ directory: temporary.path });
    const job = await (await Owner.of(store)).insert();
    await store.close();
    const before = exchangeVersion(temporary.path, version);
    const opening = openSqliteStore({ directory: temporary.path });
    await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(opening).rejects.toThrow(`its schema is ${version}, this one knows ${before}`);
    exchangeVersion(temporary.path, before);
    const reopened = await openSqliteStore({ directory: temporary.path });
    expect(await reopened.job(job.id)).toEqual(job);
    await reopened.close();
  },
);

/** Returns the version that the database had. */
function exchangeVersion(directory: string, version: number): number {
  using db = new DatabaseSync(path.join(directory, "store.db"));
  const before = db.prepare("PRAGMA user_version").get()?.["user_version"];
  db.exec(`PRAGMA user_version = ${version}`);
  return Number(before);
}
