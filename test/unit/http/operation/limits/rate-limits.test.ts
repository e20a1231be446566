/** Requests that count for rate limits, their key, and their duration; test/conformance has the rows. */
import { once } from "node:events";
import { expect, it } from "vitest";
import { KEY, OTHER_KEY, startTestHttp } from "../../http-harness.ts";
import { burst, HEAD, held } from "../../many-requests.ts";

it("/status-sync and /status share one limit, in both methods", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  await held(service, "POST", "/v2/echo/status-sync/none", 200);
  await held(service, "GET", "/v2/echo/status/none", 200);
  for (const path of ["/v2/echo/status/none", "/v2/echo/status-sync/none"]) {
    expect((await service.call("GET", path)).status).toBe(429);
    expect((await service.call("POST", path)).status).toBe(429);
  }
});

it("/health and /retry have no limit", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  expect([...(await burst(service, "GET", "/v2/echo/health", 2_100))]).toEqual(["200"]);
  expect([...(await burst(service, "POST", "/v2/echo/retry/none", 2_100))]).toEqual(["404"]);
});

it("a waiting or streaming request counts until it is answered, or its client has gone", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const { clock } = service.test;
  const worker = await service.test.connectWorker();
  const runsync = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const job = await worker.nextJob();
  const accept = "text/event-stream";
  const stream = (await service.open(`/v2/echo/stream/${job.jobId}`, { accept })).body;
  stream.on("error", () => undefined);
  await held(service, "POST", "/v2/echo/runsync", 399);
  await held(service, "GET", "/v2/echo/stream/none", 399);
  const status = async (operation: string) =>
    (await service.call("POST", `/v2/echo/${operation}`)).status;
  expect([await status("runsync"), await status("stream/none")]).toEqual([429, 429]);
  stream.destroy();
  while ((await status("stream/none")) === 429) await clock.settle();
  await worker.complete(job);
  expect((await runsync).json).toMatchObject({ status: "COMPLETED" });
  await clock.settle();
  expect(await status("runsync")).toBe(400);
});

it("refused requests do not count, and are refused before their body is requested", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const { clock } = service.test;
  const path = "/v2/echo/purge-queue";
  await burst(service, "POST", path, 2);
  await clock.advance(5_000);
  expect([...(await burst(service, "POST", path, 50))]).toEqual(["429"]);
  const raw = await service.socket(
    `POST ${path} HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: 9000000\r\n\r\n`,
  );
  const [answer] = (await once(raw, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 429 [^]*connection: close/i);
  await clock.advance(5_000);
  expect([...(await burst(service, "POST", path, 2))]).toEqual(["200"]);
});

it("each key and each endpoint has its own limits", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  await service.test.addEndpoint("other");
  const purge = async (endpoint: string, key: string) => {
    const headers = { authorization: key };
    return (await service.call("POST", `/v2/${endpoint}/purge-queue`, { headers })).status;
  };
  for (const endpoint of ["echo", "other"]) {
    for (const key of [KEY, OTHER_KEY]) {
      expect([await purge(endpoint, key), await purge(endpoint, key)]).toEqual([200, 200]);
    }
  }
  expect(await purge("echo", KEY)).toBe(429);
  expect(await purge("other", OTHER_KEY)).toBe(429);
});

it("an unknown endpoint has no limit and no meter", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const { armed } = service.test.clock;
  expect([...(await burst(service, "POST", "/v2/none/purge-queue", 9))]).toEqual(["404"]);
  expect(service.test.clock.armed).toBe(armed);
});

it("unused meters are dropped", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const { clock } = service.test;
  await clock.advance(60_000);
  const { armed } = clock;
  const [socket] = await held(service, "POST", "/v2/echo/run", 1);
  await clock.advance(60_000);
  // The time limit of the meters, and of the missing body.
  expect(clock.armed).toBe(armed + 2);
  socket?.destroy();
  await clock.settle();
  await clock.advance(10_000);
  expect(clock.armed).toBe(armed);
});
