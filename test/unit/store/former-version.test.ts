/**
 * Data directories that the version before this one wrote, whose store was asked step by step: one was killed at work, one
 * stopped. Beside each lies what `/status` answered of its jobs just before. They open, are whole, and their jobs go on.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { submit } from "../../../emulator/engine/jobs/submit.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { ALL_CHUNKS, bytesAt, textOf, textsOf } from "../../contract/store/subject.ts";
import { FakeClock } from "../../fake-clock.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { createTestEngine } from "../engine-harness.ts";

const PACKED = path.resolve(import.meta.dirname, "../../fixtures/store/former-version.tar.gz");

interface Answer {
  readonly id: string;
  readonly status: JobStatus;
  readonly delayTime?: number;
  readonly executionTime?: number;
  readonly workerId?: string;
  readonly failure?: Failure;
  readonly output?: unknown;
}

const NAMES = [
  ...(["small", "large", "failed", "timedOut", "cancelled"] as const),
  ...(["running", "running2", "waiting", "waitingLarge", "waitingToo"] as const),
];

/** Each handler makes two chunks, and a third at its end. */
const CHUNKS = { small: 3, large: 3, timedOut: 2, running: 2, running2: 2 };

async function unpacked(name: "killed" | "stopped") {
  const temporary = temporaryDirectory();
  execFileSync("tar", ["-xzf", PACKED, "-C", temporary.path, name, `${name}.json`]);
  const directory = path.join(temporary.path, name);
  const known = JSON.parse(fs.readFileSync(`${directory}.json`, "utf8")) as Record<
    (typeof NAMES)[number],
    Answer
  >;
  const store = await openSqliteStore({ directory });
  return {
    store,
    known,
    directory,
    async [Symbol.asyncDispose]() {
      await store.close();
      temporary[Symbol.dispose]();
    },
  };
}

it.each(["killed", "stopped"] as const)("all that one had that was %s is there", async (how) => {
  await using left = await unpacked(how);
  const { store, known } = left;
  const hasStopped = how === "stopped";
  for (const name of NAMES) {
    const { id, status, delayTime, executionTime, workerId, failure, output } = known[name];
    const isHandedBack = hasStopped && status === "IN_PROGRESS";
    const job = (await store.job(id)) ?? expect.fail(`there is no job ${name}`);
    expect(job.status).toBe(isHandedBack ? "IN_QUEUE" : status);
    if (!isHandedBack)
      expect(job).toMatchObject({
        ...{ delayTimeMs: delayTime, executionTimeMs: executionTime, failure },
        ...(workerId && status !== "CANCELLED" && { workerId }),
      });
    const input = JSON.parse(textOf(await bytesAt(store, job.seq, "input")) ?? "") as unknown;
    expect(input).toMatchObject({ way: expect.stringMatching(/^(streams|fails|hangs)$/) });
    const stored = textOf(await bytesAt(store, job.seq, "output"));
    expect(stored && JSON.parse(stored)).toEqual(output);
    const chunks = textsOf(await store.chunks(job.seq, ALL_CHUNKS));
    const count = isHandedBack ? 0 : job.chunkCount;
    expect(chunks).toHaveLength(count);
    if (name in CHUNKS && !isHandedBack) expect(count).toBe(CHUNKS[name as keyof typeof CHUNKS]);
  }
  const deliveries = await store.deliveries.list({}, 9);
  expect(deliveries.map(({ jobId }) => jobId)).toEqual([
    known.failed.id,
    known.large.id,
    known.small.id,
  ]);
  expect(deliveries.map(({ state }) => state)).toContain("delivered");
  const { records, running } = await store.boot();
  expect(records.endpoint.get("former")).toMatchObject({ name: "Former ü" });
  expect(running.map(({ id }) => id)).toEqual(
    hasStopped ? [] : [known.running.id, known.running2.id],
  );
  expect(await store.usage()).toHaveLength(2);
  expect(await store.check()).toEqual([]);
});

it.each(["killed", "stopped"] as const)("the jobs of one that was %s go on", async (how) => {
  await using left = await unpacked(how);
  const { known } = left;
  const { queuedAt = 0 } = (await left.store.job(known.waiting.id)) ?? {};
  const clock = new FakeClock(queuedAt + 5_000);
  const test = await createTestEngine(left.store, undefined, { clock });
  const submission = { input: Buffer.from("1"), policy: { ttlMs: 3_600_000, lowPriority: false } };
  const { id } = await submit(test.engine, { endpointId: "former", kind: "async", submission });
  // Leases of workers that are gone end.
  await clock.advance(60_000);
  const worker = await test.connectWorker("former", { credit: 6 });
  const { running, running2, waiting, waitingLarge, waitingToo } = known;
  const expected = [running, running2, waiting, waitingLarge, waitingToo, { id }];
  for (const { id: next } of expected) {
    const handed = await worker.nextJob();
    expect(handed.jobId).toBe(next);
    await worker.complete(handed, "done");
  }
  await test.stop();
  const store = await openSqliteStore({ directory: left.directory });
  for (const { id: next } of expected)
    expect(await store.job(next)).toMatchObject({ status: "COMPLETED" });
  expect((await store.boot()).counts.get("former")).toMatchObject({ completed: 8, inQueue: 0 });
  expect(await store.check()).toEqual([]);
  await store.close();
});
