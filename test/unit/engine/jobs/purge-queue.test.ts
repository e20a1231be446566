/** A purge of a queue while other clients submit. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { submit } from "../../../../emulator/engine/jobs/submit.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";

async function submitOne({ engine }: TestEngine): Promise<string> {
  const policy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs };
  const submission = { input: Buffer.from("{}"), policy };
  const { id } = await submit(engine, { endpointId: "echo", kind: "async", submission });
  return id;
}

it("a purge removes the jobs that waited at the call, and no job submitted during it", async () => {
  await using test = await createTestEngine();
  const early = [await submitOne(test), await submitOne(test)];
  const [removed, late] = await Promise.all([purgeQueue(test.engine, "echo"), submitOne(test)]);
  expect(removed).toBe(early.length);
  const left = await test.engine.steps.read((reads) => reads.job(late));
  expect(left?.status).toBe("IN_QUEUE");
});
