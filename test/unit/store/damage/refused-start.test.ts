/** Data directories with missing files: the start is refused, and nothing is removed. */
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { bytesAt, pattern } from "../../../contract/store/subject.ts";
import { change, type LeftBehind, leftBehind } from "./left-behind.ts";

async function expectRefused(left: LeftBehind, sentence: string | RegExp): Promise<void> {
  const before = left.payloads();
  const opening = openSqliteStore({ directory: left.directory }).then((store) => store.close());
  await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
  await expect(opening).rejects.toThrow(sentence);
  await expect(opening).rejects.toThrow("sv-emulate repair");
  expect(left.payloads()).toEqual(before);
}

describe("a start is refused, and no payload file removed, when", () => {
  it("three bytes were changed in the middle of the log", async () => {
    using left = await leftBehind();
    const log = left.file("store.db-wal");
    change(log, Math.floor(fs.statSync(log).size / 2), 3);
    await expectRefused(left, /30 commits were made, .* has \d+ of them/);
  });

  it("the log is missing, or was cut", async () => {
    for (const damage of [
      (log: string) => fs.rmSync(log),
      (log: string) => fs.truncateSync(log, Math.floor(fs.statSync(log).size * 0.7)),
    ]) {
      using left = await leftBehind();
      damage(left.file("store.db-wal"));
      await expectRefused(left, "commits were made");
    }
  });

  it("the database was truncated to zero bytes, with its log or without", async () => {
    for (const hasLog of [true, false]) {
      using left = await leftBehind();
      fs.truncateSync(left.file("store.db"));
      if (!hasLog) fs.rmSync(left.file("store.db-wal"));
      await expectRefused(left, "store.db is empty");
    }
  });

  it("the database is missing", async () => {
    using left = await leftBehind();
    for (const name of ["store.db", "store.db-wal", "store.mark"]) fs.rmSync(left.file(name));
    await expectRefused(left, "store.db is missing");
  });

  it("the mark, which alone shows whether the log is whole, is missing or damaged", async () => {
    for (const damage of [
      (mark: string) => fs.rmSync(mark),
      (mark: string) => change(mark, 12, 1),
      (mark: string) => fs.truncateSync(mark),
    ]) {
      using left = await leftBehind();
      damage(left.file("store.mark"));
      await expectRefused(left, "store.mark");
    }
  });
});

it("a start after each of several kills finds all data", async () => {
  using left = await leftBehind();
  for (let round = 0; round < 2; round += 1) {
    const store = await openSqliteStore({ directory: left.directory });
    for (const job of left.jobs) {
      expect(await store.job(job.id)).toEqual(job);
      const input = await bytesAt(store, job.seq, "input");
      expect(input && pattern(input.byteLength).equals(input)).toBe(true);
    }
    await store.close();
  }
});
