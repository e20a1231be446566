/** A purge of a queue while other clients submit. */
import { expect, it } from "vitest";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { createTestEngine } from "../../engine-harness.ts";

it("a purge removes the jobs that waited at the call, and no job submitted during it", async () => {
  await using test = await createTestEngine();
  await test.submit();
  await test.submit();
  const purged = purgeQueue(test.engine, "echo");
  const { id: late } = await test.submit();
  expect(await purged).toBe(2);
  const left = await test.job(late);
  expect(left?.status).toBe("IN_QUEUE");
});
