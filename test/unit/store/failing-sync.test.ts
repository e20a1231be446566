/** A disk that fails, or a process that is killed, during a sync: the store's answers about batches are correct. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { StoreInUseError } from "../../../emulator/core/store-error.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { sized } from "../../setup/size.ts";
import { injectIntoSyncs, straceIsMissing } from "../../setup/strace.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { inserted, pattern, stageOne } from "../../contract/store/subject.ts";
import { storeOnDisk } from "./on-disk.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../fixtures/store/flushes-batches.ts");
const BATCHES = 8;
/** The first syncs store no batch: they belong to the start. */
const FIRST = 3;

/** Runs the program with a fault at the syncs with these numbers in each of its threads; returns its output. */
function runTo(
  fate: "error=EIO" | "signal=KILL",
  directory: string,
  numbers: string,
  end: "closed" | "killed" = "closed",
): string[] {
  // Stops only at syncs; strace delivers no signals then.
  const filter = fate === "error=EIO" ? ["--seccomp-bpf"] : [];
  const inject = [
    ...["-f", ...filter, "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"],
    ...["-e", `inject=fsync,fdatasync:${fate}:when=${numbers}`],
  ];
  const program = [process.execPath, PROGRAM, directory, String(BATCHES), end];
  const { stdout } = spawnSync("strace", [...inject, ...program], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe.runIf(straceIsMissing === undefined)("a sync", () => {
  it.each([
    { fate: "fails once", end: "closed", last: 0 },
    { fate: "fails for a while", end: "killed", last: 3 },
    { fate: "fails for good", end: "killed", last: 999 },
  ] as const)(
    "that $fate refuses batches, none of which exists after the process was $end",
    async ({ end, last }) => {
      const isForGood = last === 999;
      const outcomes = { stored: 0, refused: 0 };
      for (let number = FIRST; number < FIRST + sized(2, 8); number += 1) {
        using directory = temporaryDirectory();
        await (await openSqliteStore({ directory: directory.path })).close();
        const said = runTo("error=EIO", directory.path, `${number}..${number + last}`, end);
        const store = await openSqliteStore({ directory: directory.path });
        if (isForGood) expect.soft(said.join(" ")).not.toMatch(/ refused .* stored/);
        for (const line of said) {
          const [id = "", outcome] = line.split(" ");
          if (outcome === undefined) continue;
          const isThere = (await store.job(id)) !== undefined;
          expect.soft({ line, isThere }).toEqual({ line, isThere: outcome === "stored" });
          outcomes[outcome === "stored" ? "stored" : "refused"] += 1;
        }
        await store.close();
      }
      expect(outcomes.stored).toBeGreaterThan(0);
      expect(outcomes.refused).toBeGreaterThan(0);
    },
  );

  it("writes the bytes of a large payload, and its name, before they count as staged", async () => {
    await using disk = await storeOnDisk();
    await using syncs = await injectIntoSyncs(process.pid, "delay_enter=1");
    await stageOne(disk.store, pattern(300_000));
    await expect.poll(() => syncs.begun).toBe(2);
  });

  it("that hangs keeps the database locked by its thread: the next one opens it after its end, and knows its batch", async () => {
    await using disk = await storeOnDisk();
    const { owner, store, threads } = disk;
    await using syncs = await injectIntoSyncs(process.pid, "delay_enter=2000000:when=1");
    const job = owner.newJob();
    const flushed = owner.flush([inserted(job)]);
    await expect.poll(() => syncs.begun).toBe(1);
    const ended = disk.killThread();
    const another = openSqliteStore({ directory: disk.directory });
    await expect(another).rejects.toBeInstanceOf(StoreInUseError);
    expect(threads[0]?.threadId).not.toBe(-1);
    await Promise.all([flushed, ended]);
    expect(await store.waitingJobs("hello", 0, 9)).toEqual([job]);
    expect((await store.boot()).batch).toBe(1);
    // The refused batch is the second one.
    expect(threads).toHaveLength(3);
  });

  it("that fails ends the log, so that no later batch depends on data that may not be on the disk", () => {
    const logOf = (numbers: string) => {
      using directory = temporaryDirectory();
      const said = runTo("error=EIO", directory.path, numbers, "killed");
      // Number of restarts of the log: see "WAL File Format" of SQLite.
      const begun = fs.readFileSync(`${directory.path}/store.db-wal`).readUInt32BE(12);
      return { begun, stored: said.filter((line) => line.endsWith(" stored")).length };
    };
    const whole = logOf("99");
    const failed = logOf("14");
    expect(whole.stored).toBe(BATCHES);
    expect(failed.stored).toBe(BATCHES - 1);
    expect(failed.begun).toBe(whole.begun + 1);
  });

  it("keeps all acknowledged batches when the process ends in it", async () => {
    let stored = 0;
    for (let number = FIRST; number < FIRST + sized(2, 8); number += 1) {
      using directory = temporaryDirectory();
      await (await openSqliteStore({ directory: directory.path })).close();
      const said = runTo("signal=KILL", directory.path, String(number));
      const store = await openSqliteStore({ directory: directory.path });
      const there = (await store.waitingJobs("hello", 0, 99)).map(({ id }) => `${id} stored`);
      // The last batch may be stored without an answer.
      expect.soft(there.slice(0, said.length)).toEqual(said);
      expect.soft(there.length).toBeLessThanOrEqual(said.length + 1);
      const { counts } = await store.boot();
      expect.soft(counts.get("hello")?.inQueue ?? 0).toBe(there.length);
      await store.close();
      stored += said.length;
    }
    expect(stored).toBeGreaterThan(0);
  });
});
