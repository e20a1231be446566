/** A worker that stops renewing its leases gets no job until it sends a message again. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";

const statusOf = async ({ engine }: TestEngine, jobId: string) =>
  (await engine.steps.read((reads) => reads.job(jobId)))?.status;

it("a job is not handed back to the worker that let its lease end, and waits", async () => {
  await using test = await createTestEngine();
  const worker = await test.connectWorker("echo", { credit: 5 });
  const { id } = await test.submit();
  const first = await worker.nextJob();
  await test.clock.advance(LIMITS.leaseMs);
  expect(await statusOf(test, id)).toBe("IN_QUEUE");
  const other = await test.submit();
  await test.clock.advance(3 * LIMITS.leaseMs);
  expect(await statusOf(test, id)).toBe("IN_QUEUE");
  expect(await statusOf(test, other.id)).toBe("IN_QUEUE");

  // The worker wakes: its delayed messages arrive first, and show that it is alive.
  await worker.complete(first, "late");
  const again = await worker.nextJob();
  expect(again).toMatchObject({ jobId: id, attempt: 2 });
  expect((await worker.nextJob()).jobId).toBe(other.id);
  await worker.complete(again, "on time");
  expect(await statusOf(test, id)).toBe("COMPLETED");
  const receipts = worker.orders.flatMap(({ outcomeReceipts = [] }) => outcomeReceipts);
  expect(receipts.map(({ accepted }) => accepted)).toEqual([false, true]);
});

it("the job goes to another worker, even one with less credit", async () => {
  await using test = await createTestEngine();
  const silent = await test.connectWorker("echo", { credit: 5 });
  const { id } = await test.submit();
  await silent.nextJob();
  const other = await test.connectWorker("echo", { credit: 1 });
  await test.clock.advance(LIMITS.leaseMs);
  expect(await other.nextJob()).toMatchObject({ jobId: id, attempt: 2 });
});
