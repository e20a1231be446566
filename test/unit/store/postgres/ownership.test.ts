/** One process at a time owns a database; one that has lost it stores nothing more, whatever its state. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import { describe, expect, it } from "vitest";
import { StoreInUseError, StoreLostError } from "../../../../emulator/core/store-error.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { SOON, testDatabase } from "./database.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../../fixtures/store/owns-a-database.ts");

/** A separate process, and the lines of its output. */
function startOwner(url: string, lease: number) {
  const child = spawn(process.execPath, [PROGRAM, url, String(lease)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    hear: async () => String((await lines.next()).value),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

describe.skipIf(postgresIsMissing !== undefined)("a database", () => {
  it("of one process is refused to another with the owner's name, and is free at once when it is released", async () => {
    await using database = await testDatabase();
    const first = await database.open({ replica: "the first" });
    const refused = openIn(database.url, { times: SOON });
    await expect(refused).rejects.toBeInstanceOf(StoreInUseError);
    await expect(refused).rejects.toThrow("in use by another emulator (the first)");
    const job = await first.insert();
    await first.store.close();
    const second = await database.open({ times: { ...SOON, lease: 600_000 } });
    expect(await second.store.job(job.id)).toEqual(job);
  });

  it("of a killed owner is free for another process at the end of the lease", async () => {
    await using database = await testDatabase();
    await using first = startOwner(database.url, 600);
    expect(await first.hear()).toBe("open");
    first.child.kill("SIGKILL");
    const second = await database.open();
    await second.insert();
  });

  it("of an owner that was frozen for longer than its lease goes to another process: the former owner stores nothing, and says so", async () => {
    await using database = await testDatabase();
    await using first = startOwner(database.url, 600);
    expect(await first.hear()).toBe("open");
    first.child.stdin.write("before\n");
    expect(await first.hear()).toBe("stored before");
    first.child.kill("SIGSTOP");
    const second = await database.open();
    const job = await second.insert({ id: "of the second" });
    first.child.stdin.write("after\n");
    first.child.kill("SIGCONT");
    const said = [await first.hear(), await first.hear()];
    expect(said.toSorted()).toEqual(["after: StoreLostError", "lost StoreLostError"]);
    const waiting = await second.store.waitingJobs("hello", 0, 9);
    expect(waiting.map(({ id }) => id)).toEqual(["before", "of the second"]);
    expect(await second.store.job(job.id)).toEqual(job);
  });

  it("that was taken over is never written by its former owner, which also answers nothing more", async () => {
    await using database = await testDatabase();
    const lost: unknown[] = [];
    const onLost = (error: unknown) => void lost.push(error);
    const owner = await database.open({ onLost, times: { ...SOON, renewEvery: 600_000 } });
    const kept = await owner.insert();
    await database.admin.query("UPDATE owner SET replica = 'the thief', epoch = epoch + 1");
    const refused = owner.insert();
    await expect(refused).rejects.toBeInstanceOf(StoreLostError);
    await expect(refused).rejects.toThrow("another process (the thief) has taken");
    await expect(owner.store.job(kept.id)).rejects.toBeInstanceOf(StoreLostError);
    await expect(owner.store.stage([])).rejects.toBeInstanceOf(StoreLostError);
    expect(lost).toHaveLength(1);
    const { rows } = await database.admin.query("SELECT seq FROM job");
    expect(rows).toHaveLength(1);
  });

  it("refuses a whole batch about a partition that was taken over", async () => {
    await using database = await testDatabase();
    const owner = await database.open({ times: { ...SOON, renewEvery: 600_000 } });
    await owner.insert({ endpointId: "a" });
    const { rows } = await database.admin.query<{ partition: number }>(
      "SELECT queue % 64 AS partition FROM queue",
    );
    await database.admin.query(
      "UPDATE owner SET replica = 'other', epoch = epoch + 1 WHERE partition = $1",
      [rows[0]?.partition],
    );
    const refused = owner.insertMany({ endpointId: "b" }, { endpointId: "a" });
    await expect(refused).rejects.toBeInstanceOf(StoreLostError);
    const { rowCount } = await database.admin.query("SELECT 1 FROM job");
    expect(rowCount).toBe(1);
  });

  it("that was taken over is noticed by the next renewal, without a batch", async () => {
    await using database = await testDatabase();
    const lost = Promise.withResolvers<Error>();
    await database.open({ onLost: lost.resolve });
    await database.admin.query("UPDATE owner SET replica = 'the thief', epoch = epoch + 1");
    expect(await lost.promise).toBeInstanceOf(StoreLostError);
  });
});
