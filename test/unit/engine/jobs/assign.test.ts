/** Hand-overs of waiting jobs to workers that cannot be stored. */
import { expect, it } from "vitest";
import { holdQueue, releaseQueue } from "../../../../emulator/engine/jobs/hold-queue.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeThatFills } from "../filling-store.ts";

it("a hand-over that cannot be stored costs its worker no credit", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { credit: 1 });
  fill(true);
  await expect(test.submit()).rejects.toMatchObject({ code: "storage_full" });
  fill(false);
  const { id } = await test.submit();
  expect((await test.job(id))?.status).toBe("IN_PROGRESS");
  expect((await worker.nextJob()).jobId).toBe(id);
});

it("hand-overs that could not be stored are repeated a second later if there is room", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  // No further worker is considered.
  await test.addEndpoint("echo", { workersMax: 1, workersMin: 1 });
  const worker = await test.connectWorker("echo", { credit: 1 });
  holdQueue(test.engine, "echo");
  const { id } = await test.submit();
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
