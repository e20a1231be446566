/** Hand-overs of waiting jobs to workers that cannot be stored. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { holdQueue, releaseQueue } from "../../../../emulator/engine/jobs/hold-queue.ts";
import { submit } from "../../../../emulator/engine/jobs/submit.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeThatFills } from "../filling-store.ts";

it("a hand-over that cannot be stored costs its worker no credit", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { credit: 1 });
  const policy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs };
  const submitOne = async () => {
    const submission = { input: Buffer.from("{}"), policy };
    return submit(test.engine, { endpointId: "echo", kind: "async", submission });
  };
  fill(true);
  await expect(submitOne()).rejects.toMatchObject({ code: "storage_full" });
  fill(false);
  const { id } = await submitOne();
  expect((await test.engine.steps.read((reads) => reads.job(id)))?.status).toBe("IN_PROGRESS");
  expect((await worker.nextJob()).jobId).toBe(id);
});

it("hand-overs that could not be stored are repeated a second later if there is room", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  // No further worker is considered.
  await test.addEndpoint("echo", { workersMax: 1, workersMin: 1 });
  const worker = await test.connectWorker("echo", { credit: 1 });
  holdQueue(test.engine, "echo");
  const submission = {
    input: Buffer.from("{}"),
    policy: { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs },
  };
  const { id } = await submit(test.engine, { endpointId: "echo", kind: "async", submission });
  fill(true);
  await expect(releaseQueue(test.engine, "echo")).rejects.toMatchObject({ code: "storage_full" });
  await test.clock.advance(3_000);
  expect(worker.worker.credit).toBe(1);
  // It tries once a second, not in a loop.
  expect(test.logged.length).toBeLessThan(5);
  fill(false);
  await test.clock.advance(1_000);
  expect((await worker.nextJob()).jobId).toBe(id);
});
