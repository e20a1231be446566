/** The trace of a request, on its way to the handler and to the webhook. */
import { expect, it } from "vitest";
import { createTestEngine } from "../../../engine-harness.ts";
import { ScriptedSender } from "../../../scripted-sender.ts";
import { startTestHttp } from "../../http-harness.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const headers = { traceparent: TRACEPARENT };
const body = { input: {} };

it.each(["/v2/echo/run", "/v2/echo/runsync?wait=1000", "/v2/echo/openai/v1/chat/completions"])(
  "a traceparent goes from %s to the worker, even without a trace collector",
  async (path) => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const answered = service.call("POST", path, { headers, body });
    const job = await worker.nextJob();
    expect(job.traceparent).toBe(TRACEPARENT);
    await worker.complete(job, {});
    await answered;
  },
);

it("a traceparent stays with a job that is handed over again, and reaches its webhook", async () => {
  const webhookSender = new ScriptedSender();
  const engine = await createTestEngine(undefined, undefined, { webhookSender });
  await using service = await startTestHttp({ engine });
  const worker = await engine.connectWorker();
  const hooked = { ...body, webhook: "https://user.test/hook" };
  await service.call("POST", "/v2/echo/run", { headers, body: hooked });
  await worker.finish(await worker.nextJob(), { kind: "handed-back" });
  await worker.grant();
  const again = await worker.nextJob();
  expect(again).toMatchObject({ attempt: 2, traceparent: TRACEPARENT });
  await worker.complete(again);
  await engine.clock.settle();
  expect(webhookSender.calls).toMatchObject([{ traceparent: TRACEPARENT }]);
});

it("an invalid traceparent is ignored and not replaced", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  await service.call("POST", "/v2/echo/run", { headers: { traceparent: "00-nonsense" }, body });
  expect(await worker.nextJob()).not.toHaveProperty("traceparent");
});
