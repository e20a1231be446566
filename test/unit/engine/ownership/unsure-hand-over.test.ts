/** Hand-overs that become durable while this process does not know whether it is the owner. */
import { expect, it } from "vitest";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { Gate, SharedService, submitTo } from "./shared-service.ts";

it("a hand-over that was not sent for unknown ownership is repeated in place and costs no attempt", async () => {
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
  await submitTo(first, "echo-1");
  replica.isUnsure = false;
  await test.clock.advance(2_000);
  expect((await worker.nextJob()).jobId).toBe(id);
  const { job } = await viewJob(first.engine, { endpointId: "echo-1", jobId: id });
  expect(job).toMatchObject({ status: "IN_PROGRESS", retries: 0 });
});
