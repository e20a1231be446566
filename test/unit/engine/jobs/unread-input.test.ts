/** A bucket that cannot be read for a while: jobs with inputs there wait behind others without losing an attempt. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

/** An engine with a store that reads large inputs only when `read` resolves. */
async function scene(read: () => Promise<unknown>) {
  const temporary = temporaryDirectory();
  const kept = await openSqliteStore({ directory: temporary.path });
  const store = storeWith(kept, {
    async payload(seq, slot) {
      if (slot === "input") await read();
      return kept.payload(seq, slot);
    },
  });
  const test = await createTestEngine(store);
  return {
    ...test,
    async [Symbol.asyncDispose]() {
      await test.stop();
      temporary[Symbol.dispose]();
    },
    /** Submits a job. An input of 600 kB is not kept in memory. */
    async submit(size: number) {
      const input = Buffer.from(JSON.stringify("x".repeat(size)));
      return test.submit({ input });
    },
  };
}

it("a job with an unreadable input waits behind others until it can be read, without losing an attempt", async () => {
  let isAway = true;
  let tries = 0;
  await using test = await scene(async () => {
    tries += 1;
    if (isAway) throw new StoreUnusableError("the bucket is away");
  });
  const large = await test.submit(600_000);
  const small = await test.submit(10);
  const worker = await test.connectWorker();
  for (let times = 1; times <= 5; times += 1) {
    await expect.poll(() => tries).toBe(times);
    await test.clock.advance(1_000);
    if (times === 1) await worker.complete(await worker.nextJob(), "done");
    if (times === 1) await worker.grant();
  }
  expect((await viewJob(test.engine, { endpointId: "echo", jobId: small.id })).job.status).toBe(
    "COMPLETED",
  );
  isAway = false;
  await test.clock.advance(1_000);
  expect((await worker.nextJob()).jobId).toBe(large.id);
  const { job } = await viewJob(test.engine, { endpointId: "echo", jobId: large.id });
  expect(job).toMatchObject({ status: "IN_PROGRESS", lostCount: 0, errorCount: 0 });
});

it("the lease of a job is kept while its input is read, and after the hand-over the worker must renew it", async () => {
  const reading = Promise.withResolvers<void>();
  await using test = await scene(() => reading.promise);
  const large = await test.submit(600_000);
  const worker = await test.connectWorker();
  for (let passed = 0; passed < 60; passed += 5) await test.clock.advance(5_000);
  reading.resolve();
  expect((await worker.nextJob()).jobId).toBe(large.id);
  const { job } = await viewJob(test.engine, { endpointId: "echo", jobId: large.id });
  expect(job).toMatchObject({ status: "IN_PROGRESS", attempt: 1, lostCount: 0 });
  await test.clock.advance(15_000);
  const { job: lost } = await viewJob(test.engine, { endpointId: "echo", jobId: large.id });
  expect(lost).toMatchObject({ status: "IN_QUEUE", lostCount: 1 });
});
