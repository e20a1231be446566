/** Data of a process that is killed while it writes: all acknowledged changes, and no half-written ones. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { expect, it } from "vitest";
import { countChange, NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { bytesAt, deleted, inserted, Owner, pattern, put } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { sized } from "../../setup/size.ts";

const WRITER = path.resolve(import.meta.dirname, "../../fixtures/store/writes-until-killed.ts");
const PAYLOAD = { kind: "inline", bytes: pattern(9) } as const;
const STATES = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "deleted"];

/** Runs the writer and kills it after this number of acknowledged changes; returns the newest state of each job. */
async function writeUntilKilled(directory: string, acknowledgements: number) {
  const writer = spawn(process.execPath, [WRITER, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged = new Map<string, string>();
  let count = 0;
  for await (const line of readline.createInterface({ input: writer.stdout })) {
    const [id = "", state] = line.split(" ");
    // The kill may cut the last line short; an incomplete line was not acknowledged.
    if (state === undefined || !STATES.includes(state)) continue;
    acknowledged.set(id, state);
    count += 1;
    if (count === acknowledgements) writer.kill("SIGKILL");
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  expect(writer.signalCode).toBe("SIGKILL");
  expect(count).toBeGreaterThanOrEqual(acknowledgements);
  return acknowledged;
}

async function expectPresent(store: Store, id: string, state: string): Promise<void> {
  const job = await store.job(id);
  if (state === "deleted") {
    expect(job).toBeUndefined();
  } else if (job === undefined) {
    // Deleted durably, but killed before the acknowledgement.
    expect(state).toBe("COMPLETED");
  } else {
    expect(STATES.indexOf(job.status)).toBeGreaterThanOrEqual(STATES.indexOf(state));
  }
}

async function expectWhole(store: Store, job: Job): Promise<void> {
  const input = await bytesAt(store, job.seq, "input");
  const output = await bytesAt(store, job.seq, "output");
  expect(input && pattern(input.byteLength).equals(input)).toBe(true);
  expect(output !== undefined).toBe(job.status === "COMPLETED");
  if (output) expect(pattern(output.byteLength, 2).equals(output)).toBe(true);
}

it("all acknowledged jobs survive SIGKILL, and each job is whole", async () => {
  using temporary = temporaryDirectory();
  let highestSeq = 0;
  for (const acknowledgements of sized([1, 60, 450], [1, 60, 200, 450, 777])) {
    const acknowledged = await writeUntilKilled(temporary.path, acknowledgements);
    const store = await openSqliteStore({ directory: temporary.path });
    for (const [id, state] of acknowledged) await expectPresent(store, id, state);
    const jobs = await store.jobsOf("hello", 0, 1_000_000);
    for (const job of jobs) await expectWhole(store, job);
    const { counts, running } = await store.boot();
    expect(running).toEqual(jobs.filter(({ status }) => status === "IN_PROGRESS"));
    const { inQueue, inProgress } = jobs.reduce(
      (sum, job) => countChange(sum, undefined, job),
      NO_COUNTS,
    );
    expect(counts.get("hello")).toMatchObject({ inQueue, inProgress });
    const owner = await Owner.of(store);
    const fresh = owner.newJob();
    expect(fresh.seq).toBeGreaterThan(Math.max(highestSeq, ...jobs.map((job) => job.seq)));
    highestSeq = fresh.seq;
    await owner.flush([inserted(fresh)], [put(fresh, "input", PAYLOAD)]);
    await store.close();
  }
});

it("payload files without a job are removed after a kill", async () => {
  using temporary = temporaryDirectory();
  await writeUntilKilled(temporary.path, 300);
  const store = await openSqliteStore({ directory: temporary.path });
  expect(await store.check()).toEqual([]);
  const jobs = await store.jobsOf("hello", 0, 1_000_000);
  await (await Owner.of(store)).change(...jobs.map(deleted));
  await store.close();
  expect(fs.readdirSync(path.join(temporary.path, "payloads"))).toEqual([]);
});
