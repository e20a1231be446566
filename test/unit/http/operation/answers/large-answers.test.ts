/** Large answers: sent at their reader's pace, one at a time per connection, and refused without room for them. */
import { once } from "node:events";
import { expect, it } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import { KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";

const OUTPUT = "x".repeat(10_000_000);

/** The id of a job that has ended with a large output. */
async function jobWithLargeOutput(service: TestHttp): Promise<string> {
  const worker = await service.test.connectWorker();
  const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  await worker.complete(await worker.nextJob(), OUTPUT);
  return (json as { id: string }).id;
}

function requestText(method: string, path: string, body = ""): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

it("an answer that is sent whole waits up to 30 s for room, and an answer in slices needs none", async () => {
  await using service = await startTestHttp();
  const id = await jobWithLargeOutput(service);
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  const { inFlight } = service.test.engine;
  const all = await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
  const status = await service.call("GET", `/v2/echo/status/${id}`);
  expect(status.json).toMatchObject({ status: "COMPLETED", output: OUTPUT });
  const ask = async () => {
    const asked = service.call("POST", "/v2/echo/openai/v1/completions", { body: {} });
    await worker.complete(await worker.nextJob(), { text: OUTPUT });
    await service.test.clock.settle();
    return { asked };
  };
  const waits = await ask();
  all?.[Symbol.dispose]();
  expect((await waits.asked).json).toMatchObject({ text: OUTPUT });
  await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
  const refused = await ask();
  await expect
    .poll(async () => {
      await service.test.clock.advance(10_000);
      return Promise.race([refused.asked, Promise.resolve()]);
    })
    .toMatchObject({ status: 503 });
});

it("a reader that reads no byte of a large answer for a minute is cut off", async () => {
  await using service = await startTestHttp();
  const path = `/v2/echo/status/${await jobWithLargeOutput(service)}`;
  const reader = await service.socket(requestText("GET", path));
  await once(reader, "readable");
  const closed = once(reader, "close");
  await service.test.clock.advance(LIMITS.readerStallMs - 1);
  let received = 0;
  await service.test.clock.advance(1);
  reader.on("error", () => undefined).on("data", (slice: Buffer) => (received += slice.length));
  await closed;
  expect(received).toBeLessThan(OUTPUT.length);
});

it("requests pipelined behind a large answer run after it, and never if the client disconnects", async () => {
  await using service = await startTestHttp();
  const path = `/v2/echo/status/${await jobWithLargeOutput(service)}`;
  const submission = requestText("POST", "/v2/echo/run", '{"input":{}}');
  const count = async () => {
    const { json } = await service.call("GET", "/v2/echo/requests?limit=100");
    return (json as { requests: unknown[] }).requests.length;
  };
  const patient = await service.socket(requestText("GET", path) + submission.repeat(40));
  const hasty = await service.socket(requestText("GET", path) + submission.repeat(40));
  await Promise.all([once(patient, "readable"), once(hasty, "readable")]);
  await service.test.clock.settle();
  expect(await count()).toBe(1);
  hasty.destroy();
  patient.resume();
  await expect.poll(count).toBe(41);
  await service.test.clock.settle();
  expect(await count()).toBe(41);
});
