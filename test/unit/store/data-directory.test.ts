/**
 * Data directories: private, held by one process at a time, and refused with a clear message when they cannot be
 * used.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { pragma } from "../../../emulator/sqlite/row.ts";
import { Connection } from "../../../emulator/store/sqlite/connection.ts";
import { openDatabase } from "../../../emulator/store/sqlite/files/data-directory.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import {
  StoreInUseError,
  StoreLostError,
  StoreUnusableError,
} from "../../../emulator/core/store-error.ts";
import { Owner, pattern } from "../../contract/store/subject.ts";
import { FakeClock } from "../../fake-clock.ts";
import { runBound } from "../../setup/bound-by-permissions.ts";
import { locksOf } from "../../setup/file-locks.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { storeOnDisk } from "./on-disk.ts";
import { sized } from "../../setup/size.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../../fixtures/store");
const WRITER = path.join(FIXTURES, "writes-until-killed.ts");
const OPENER = path.join(FIXTURES, "opens.ts");

async function openAndClose(directory: string): Promise<void> {
  const store = await openSqliteStore({ directory });
  await store.close();
}

/** The error of a process without root's permissions that opens the directory; null if it can open it. */
async function refusedTo(directory: string): Promise<unknown> {
  return JSON.parse(await runBound(process.execPath, [OPENER, directory]));
}

describe("a new data directory", () => {
  it("is created with its missing parents, and only its owner can read it", async () => {
    using temporary = temporaryDirectory();
    const directory = path.join(temporary.path, "a", "b");
    const store = await openSqliteStore({ directory });
    await (await Owner.of(store)).insert();
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of fs.readdirSync(directory)) {
      expect(fs.statSync(path.join(directory, name)).mode & 0o077).toBe(0);
    }
    await store.close();
  });

  it("can be an existing empty directory, which keeps its permissions", async () => {
    using temporary = temporaryDirectory();
    fs.chmodSync(temporary.path, 0o750);
    await openAndClose(temporary.path);
    expect(fs.statSync(temporary.path).mode & 0o777).toBe(0o750);
  });
});

it("a commit reaches the disk, even on systems with a plain sync that stops at the drive's cache", () => {
  using temporary = temporaryDirectory();
  const { db, file, close } = openDatabase(temporary.path);
  const syncs = () =>
    ["synchronous", "fullfsync", "checkpoint_fullfsync"].map((name) => pragma(db, name));
  expect(syncs()).toEqual([2, 1, 1]);
  // Unsynced writes may be lost; the setting holds for this call only.
  new Connection(db, file).unsynced(() => expect(syncs()).toEqual([0, 1, 1]));
  expect(syncs()).toEqual([2, 1, 1]);
  close();
});

describe("a data directory in use", () => {
  it("cannot be opened by a second store, and the error names the directory and the process that holds it", async () => {
    using temporary = temporaryDirectory();
    const store = await openSqliteStore({ directory: temporary.path });
    const second = openSqliteStore({ directory: temporary.path });
    await expect(second).rejects.toBeInstanceOf(StoreInUseError);
    await expect(second).rejects.toThrow(temporary.path);
    await expect(second).rejects.toThrow(`(process ${process.pid})`);
    const job = await (await Owner.of(store)).insert();
    await store.close();
    const third = await openSqliteStore({ directory: temporary.path });
    expect(await third.job(job.id)).toEqual(job);
    await third.close();
  });

  it("is refused while another process holds it, and opens when that process is killed", async () => {
    using temporary = temporaryDirectory();
    const holder = spawn(process.execPath, [WRITER, temporary.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const second = openSqliteStore({ directory: temporary.path });
    await expect(second).rejects.toBeInstanceOf(StoreInUseError);
    await expect(second).rejects.toThrow(`(process ${holder.pid})`);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await openAndClose(temporary.path);
  });
});

describe("the lock that keeps other processes out", () => {
  it("is held by at most one of several stores that open a new directory at once", async () => {
    let held = 0;
    for (let round = 0; round < sized(4, 10); round += 1) {
      using temporary = temporaryDirectory();
      const openings = Array.from({ length: 3 }, () =>
        openSqliteStore({ directory: temporary.path }),
      );
      const opened = await Promise.allSettled(openings);
      const stores = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      // The stores may all refuse each other.
      expect(stores.length).toBeLessThanOrEqual(1);
      expect(locksOf(path.join(temporary.path, "store.db"))).toHaveLength(stores.length);
      held += stores.length;
      const left = fs.readdirSync(temporary.path).filter((name) => name.startsWith("store.db."));
      expect(left).toEqual([]);
      for (const store of stores) await store.close();
    }
    expect(held).toBeGreaterThan(0);
  });

  it("is held until the store is closed, whatever this process does in its directory", async () => {
    await using disk = await storeOnDisk();
    const file = path.join(disk.directory, "store.db");
    await expect(openSqliteStore({ directory: disk.directory })).rejects.toThrow("is in use");
    await disk.store.check();
    await disk.owner.insert();
    expect(locksOf(file)).toHaveLength(1);
    await disk.close();
    expect(locksOf(file)).toEqual([]);
  });
});

describe("a data directory that cannot be used", () => {
  it("is refused when it is not writable", async () => {
    using temporary = temporaryDirectory();
    expect(await refusedTo(path.join(temporary.path, "old"))).toBe(null);
    fs.chmodSync(temporary.path, 0o555);
    for (const directory of [temporary.path, path.join(temporary.path, "new")]) {
      const message = expect.stringContaining(`${directory} cannot be written`) as string;
      expect(await refusedTo(directory)).toEqual({ name: "StoreUnusableError", message });
    }
  });

  it("is refused when its database is read-only", async () => {
    using temporary = temporaryDirectory();
    await openAndClose(temporary.path);
    fs.chmodSync(path.join(temporary.path, "store.db"), 0o444);
    fs.chmodSync(temporary.path, 0o755);
    const message = expect.stringContaining("cannot be written") as string;
    expect(await refusedTo(temporary.path)).toEqual({ name: "StoreUnusableError", message });
  });

  it("is refused when its path, or a parent of it, is a file", async () => {
    using temporary = temporaryDirectory();
    const file = path.join(temporary.path, "file");
    fs.writeFileSync(file, "precious");
    for (const directory of [file, path.join(file, "below")]) {
      const opening = openSqliteStore({ directory });
      await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
      await expect(opening).rejects.toThrow("a file is in its place");
    }
    expect(fs.readFileSync(file, "utf8")).toBe("precious");
  });

  it("is refused when store.db is not a database, and that file is not changed", async () => {
    using temporary = temporaryDirectory();
    const file = path.join(temporary.path, "store.db");
    const content = "this is no database\n".repeat(500);
    fs.writeFileSync(file, content);
    const opening = openSqliteStore({ directory: temporary.path });
    await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(opening).rejects.toThrow(`${file} is damaged or not a database`);
    expect(fs.readFileSync(file, "utf8")).toBe(content);
  });

  it("is refused when its database is a directory", async () => {
    using temporary = temporaryDirectory();
    fs.mkdirSync(path.join(temporary.path, "store.db"));
    const opening = openSqliteStore({ directory: temporary.path });
    await expect(opening).rejects.toBeInstanceOf(StoreUnusableError);
  });

  it("is refused when it holds another program's database, and that database is not changed", async () => {
    using temporary = temporaryDirectory();
    const file = path.join(temporary.path, "store.db");
    const theirs = new DatabaseSync(file);
    theirs.exec("CREATE TABLE theirs (x)");
    theirs.close();
    const content = fs.readFileSync(file);
    const opening = openSqliteStore({ directory: temporary.path });
    await expect(opening).rejects.toThrow("the database of another program");
    expect(fs.readFileSync(file).equals(content)).toBe(true);
  });

  it("is refused when its database is damaged, with an error that says so", async () => {
    await using disk = await storeOnDisk();
    const jobs = await disk.owner.insertMany(...Array.from({ length: 500 }, () => ({})));
    await disk.close();
    const file = path.join(disk.directory, "store.db");
    fs.writeFileSync(file, fs.readFileSync(file).fill(0xaa, 8_192));
    const reading = disk.reopen().then(async (damaged) => {
      for (const { id } of jobs) await damaged.job(id);
    });
    await expect(reading).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(reading).rejects.toThrow("damaged");
  });
});

it("a store refuses writes while its data directory is missing, and accepts them when it is back", async () => {
  const clock = new FakeClock();
  const told: (StoreLostError | undefined)[] = [];
  await using disk = await storeOnDisk({ clock, onRemoval: (lost) => void told.push(lost) });
  const moved = `${disk.directory}.moved`;
  const until = async (count: number) => {
    for (let turn = 0; turn < 50 && told.length < count; turn += 1) {
      await clock.advance(500);
      await disk.store.nextDueAt();
    }
  };
  fs.renameSync(disk.directory, moved);
  await until(1);
  expect(told[0]).toBeInstanceOf(StoreLostError);
  await expect(disk.owner.insert()).rejects.toBeInstanceOf(StoreLostError);
  await expect(disk.store.stage([pattern(9)])).rejects.toBeInstanceOf(StoreLostError);
  fs.renameSync(moved, disk.directory);
  await until(2);
  await disk.owner.insert();
  expect(told).toEqual([expect.any(StoreLostError), undefined]);
});
