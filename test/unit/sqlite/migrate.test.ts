/** How a database is brought to the newest schema, and which databases are refused. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { localEndpoint } from "../../../emulator/handlers/local-endpoint.ts";
import { FIRST_SCHEMA } from "../../../emulator/store/sqlite/migrations/0001-first.ts";
import { migrate } from "../../../emulator/sqlite/migrate.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { ALL_CHUNKS, batch, Owner, textsOf, under } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const ONE = "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('from one');";
const TWO = "ALTER TABLE note ADD COLUMN two TEXT DEFAULT 'from two';";
const BROKEN = "ALTER TABLE note ADD COLUMN three TEXT; INSERT INTO nowhere VALUES (1);";

function notes(db: DatabaseSync): unknown[] {
  return db
    .prepare("SELECT * FROM note")
    .all()
    .map((row) => ({ ...row }));
}

function versionOf(db: DatabaseSync): unknown {
  return db.prepare("PRAGMA user_version").get()?.["user_version"];
}

it("each step is carried out once, in order, on the data that is there", () => {
  using db = new DatabaseSync(":memory:");
  migrate(db, "file", [ONE]);
  migrate(db, "file", [ONE]);
  expect(notes(db)).toEqual([{ text: "from one" }]);
  migrate(db, "file", [ONE, TWO]);
  migrate(db, "file", [ONE, TWO]);
  expect(notes(db)).toEqual([{ text: "from one", two: "from two" }]);
  expect(versionOf(db)).toBe(2);
});

it("a step that fails leaves the database at the version before it", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "store.db");
  const broken = new DatabaseSync(file);
  migrate(broken, "file", [ONE]);
  expect(() => migrate(broken, "file", [ONE, BROKEN])).toThrow("nowhere");
  broken.close();
  using db = new DatabaseSync(file);
  expect(versionOf(db)).toBe(1);
  expect(notes(db)).toEqual([{ text: "from one" }]);
});

it("a new database is made at once or not at all", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "store.db");
  const broken = new DatabaseSync(file);
  expect(() => migrate(broken, "file", [ONE, BROKEN])).toThrow("nowhere");
  broken.close();
  using db = new DatabaseSync(file);
  expect(versionOf(db)).toBe(0);
  migrate(db, "file", [ONE, TWO]);
  expect(notes(db)).toEqual([{ text: "from one", two: "from two" }]);
});

it("a database of a newer version is refused and left as it is", () => {
  using db = new DatabaseSync(":memory:");
  migrate(db, "data/store.db", [ONE, TWO]);
  expect(() => migrate(db, "data/store.db", [ONE])).toThrow(StoreUnusableError);
  expect(() => migrate(db, "data/store.db", [ONE])).toThrow(
    "data/store.db was written by a newer version of sv-runtime",
  );
  expect(versionOf(db)).toBe(2);
});

it("the database of another program is refused and left as it is", () => {
  using db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE theirs (x)");
  expect(() => migrate(db, "data/store.db", [ONE])).toThrow("is the database of another program");
  expect(versionOf(db)).toBe(0);
});

it("a store whose database says a newer version wrote it does not open", async () => {
  using temporary = temporaryDirectory();
  const store = await openSqliteStore({ directory: temporary.path });
  const job = await (await Owner.of(store)).insert();
  await store.close();
  const version = exchangeVersion(temporary.path, 999);
  const opening = openSqliteStore({ directory: temporary.path });
  await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
  await expect(opening).rejects.toThrow(/version 999, this one knows versions up to \d+/);
  exchangeVersion(temporary.path, version);
  const reopened = await openSqliteStore({ directory: temporary.path });
  expect(await reopened.job(job.id)).toEqual(job);
  await reopened.close();
});

it("chunks of the first schema, in rows and in files, are read as before, a line each", async () => {
  using temporary = temporaryDirectory();
  const payloads = path.join(temporary.path, "payloads");
  const name = "0190a3b1-2c4d-4e6f-8a9b-0c1d2e3f4a5b";
  const texts = [
    '{"output":0}',
    '{"output":\n"ä"}',
    `{"output":"${"x".repeat(300_000)}"}`,
  ] as const;
  fs.mkdirSync(payloads);
  fs.writeFileSync(path.join(payloads, name), texts[2]);
  const old = new DatabaseSync(path.join(temporary.path, "store.db"));
  migrate(old, "old", [FIRST_SCHEMA]);
  const insert = old.prepare("INSERT INTO chunk VALUES (?, ?, ?, ?)");
  const bodies = [Buffer.from(texts[0]), Buffer.from(texts[1]), name];
  for (const [index, body] of bodies.entries()) {
    insert.run(1, index, Buffer.byteLength(texts[index] ?? ""), body);
  }
  old.close();

  const store = await openSqliteStore({ directory: temporary.path });
  const owner = await Owner.of(store);
  const read = await store.chunks(1, ALL_CHUNKS);
  expect(textsOf(read)).toEqual([texts[0], '{"output": "ä"}', texts[2]]);
  await owner.change({ type: "append-chunks", ...under({ seq: 1 }), batch: batch(3, "new") });
  const rest = await store.chunks(1, { ...ALL_CHUNKS, from: 2 });
  expect(textsOf(rest)).toEqual([texts[2], "new"]);
  await owner.change({ type: "remove-chunks", ...under({ seq: 1 }) });
  await store.close();
  expect(fs.readdirSync(payloads)).toEqual([]);
});

it("endpoints of earlier schemas get the requests per worker that were valid for all", async () => {
  using temporary = temporaryDirectory();
  const old = new DatabaseSync(path.join(temporary.path, "store.db"));
  migrate(old, "old", [FIRST_SCHEMA]);
  const { requestsPerWorker: _later, ...earlier } = localEndpoint({ id: "a" }, "");
  old
    .prepare("INSERT INTO record VALUES ('endpoint', 'a', ?), ('template', 'b', '{}')")
    .run(JSON.stringify(earlier));
  old.close();
  const store = await openSqliteStore({ directory: temporary.path });
  const { records } = await store.boot();
  expect(records.endpoint.get("a")).toEqual({ ...earlier, requestsPerWorker: 50 });
  expect(records.template.get("b")).toEqual({});
  await store.close();
});

/** Answers the version that was there. */
function exchangeVersion(directory: string, version: unknown): unknown {
  using db = new DatabaseSync(path.join(directory, "store.db"));
  const before = versionOf(db);
  db.exec(`PRAGMA user_version = ${String(version)}`);
  return before;
}
