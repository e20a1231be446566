/** The check of all stored data: its findings, and that no file is removed when it finds a problem. */
import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { StoreDamagedError } from "../../../../emulator/core/store-error.ts";
import { Owner } from "../../../contract/store/subject.ts";
import { change, type LeftBehind, leftBehind } from "./left-behind.ts";

async function checked(left: LeftBehind) {
  const damage: string[] = [];
  const onDamage = ({ message }: Error) => damage.push(message);
  const store = await openSqliteStore({ directory: left.directory, onDamage });
  const owner = await Owner.of(store);
  return { store, owner, damage, [Symbol.asyncDispose]: () => store.close() };
}

/** Changes the database after its log was merged into it. */
function sql(left: LeftBehind, text: string): void {
  using db = new DatabaseSync(left.file("store.db"));
  db.exec(text);
}

it("the check finds no damage after a kill, and runs while jobs are submitted", async () => {
  using left = await leftBehind();
  await using opened = await checked(left);
  const check = opened.store.check();
  for (let count = 0; count < 50; count += 1) await opened.owner.insert();
  expect(await check).toEqual([]);
  await opened.owner.insert();
  expect(opened.damage).toEqual([]);
});

it("the check finds each payload that is missing, cut or changed, with its job", async () => {
  using left = await leftBehind(15);
  const [missing = "", cut = ""] = left.payloads();
  fs.rmSync(left.file("payloads", missing));
  fs.truncateSync(left.file("payloads", cut), 100);
  const changed = left.jobs[0];
  const place = (changed?.seq ?? 0) * 4;
  sql(left, `UPDATE payload SET body = CAST('x' AS BLOB) WHERE place = ${place}`);
  await using opened = await checked(left);
  const found = await opened.store.check();
  const jobs = new Map(found.map(({ jobId, damage }) => [damage.message, jobId]));
  expect([...jobs.keys()].toSorted()).toEqual([
    "the input is damaged: it does not match its checksum",
    `the input is damaged: its file payloads/${cut} is too short`,
    `the input is missing: there is no file payloads/${missing}`,
  ]);
  expect(jobs.get("the input is damaged: it does not match its checksum")).toBe(changed?.id);
  expect(opened.damage).toEqual([]);
});

it("an index that does not match its table, or a row its checksum, ends all work, and no file is removed", async () => {
  for (const harm of [
    // The newest job's id at its first place: in the index or in the table.
    (left: LeftBehind) => {
      sql(left, "PRAGMA wal_checkpoint(TRUNCATE)");
      const at = fs.readFileSync(left.file("store.db")).indexOf(left.jobs[7]?.id ?? "");
      change(left.file("store.db"), at + 3, 1);
    },
    (left: LeftBehind) => sql(left, "UPDATE job SET webhook = 'x' WHERE seq = 7"),
  ]) {
    using left = await leftBehind();
    const stray = left.file("payloads", "0f0f0f0f-0000-4000-8000-000000000000");
    fs.writeFileSync(stray, "half writ");
    harm(left);
    await using opened = await checked(left);
    await expect(opened.store.check()).rejects.toBeInstanceOf(StoreDamagedError);
    expect(opened.damage).toHaveLength(1);
    expect(opened.damage[0]).toContain("sv-emulate repair");
    await expect(opened.owner.insert()).rejects.toThrow("is damaged");
    expect(fs.existsSync(stray)).toBe(true);
  }
});

it("the check ends when the store is closed, and removes nothing", async () => {
  using left = await leftBehind();
  const stray = left.file("payloads", "0f0f0f0f-0000-4000-8000-000000000000");
  fs.writeFileSync(stray, "half writ");
  const { store } = await checked(left);
  const check = store.check();
  await store.close();
  expect(await check).toEqual([]);
  expect(fs.existsSync(stray)).toBe(true);
});
