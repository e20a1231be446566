/** The webhook of a job shows it in the dialect of its submission. */
import { expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";

it.each([
  ["/live", "run"],
  ["/live", "runsync"],
  ["", "run"],
])("a job submitted by %s/v2 with %s", async (base, how) => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const body = { input: { n: 1 }, webhook: "https://example.com/hook" };
  const submitting = service.call("POST", `${base}/v2/echo/${how}`, { body });
  const job = await worker.nextJob();
  await worker.fail(job, { message: "no name", stack: "TypeError: no name" });
  await submitting;
  await service.test.clock.settle();
  const shown = await service.call("GET", `${base}/v2/echo/status/${job.jobId}`);
  const { json } = await service.call("GET", "/emulator/webhooks");
  const [listed] = (json as { deliveries: { id: string }[] }).deliveries;
  const delivery = await service.call("GET", `/emulator/webhooks/${listed?.id}`);
  expect(delivery.json).toMatchObject({
    request: { body: { ...Object(shown.json), ...body } },
  });
  const sent = (delivery.json as { request: { body: object } }).request.body;
  expect(Object.keys(sent).includes("failure")).toBe(base === "");
});
