/** Handing waiting jobs to workers, where that cannot be stored. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
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
  expect((await test.engine.store.read((view) => view.job(id)))?.status).toBe("IN_PROGRESS");
  expect((await worker.nextJob()).jobId).toBe(id);
});
