/** Hand-overs that become durable while this process does not know whether it may decide. */
import { expect, it } from "vitest";
import { Gate, SharedService, submitTo } from "./shared-service.ts";

it("a job whose hand-over was not sent, as its part might have been another's, is handed over again by whom it stays with", async () => {
  await using service = new SharedService();
  const first = await service.open([1, 2]);
  const { replica, test } = first;
  const worker = await test.connectWorker("echo-1");
  const gate = new Gate();
  replica.after = gate.pass;
  const submitted = submitTo(first, "echo-1");
  await service.settle();
  replica.isUnsure = true;
  gate.open();
  const { id } = await submitted;
  await service.settle();
  replica.isUnsure = false;
  await test.clock.advance(20_000);
  const job = await worker.nextJob();
  expect(job.jobId).toBe(id);
});
