/** Where operations are called: those of the interface in each dialect, the emulator's own once. */
import { request } from "undici";
import { expect, it } from "vitest";
import { KEY, startTestHttp, type TestHttp } from "./http-harness.ts";

/** The answer to a method and path that no document shows. */
async function answerOf({ url }: TestHttp, method: "GET" | "HEAD" | "POST", path: string) {
  const headers = { authorization: `Bearer ${KEY}` };
  const body = method === "POST" ? '{"input":{}}' : null;
  const answer = await request(`${url}${path}`, { method, headers, body });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text };
}

it("leads to the emulator's own operations beside the dialects, never below another one's base path", async () => {
  await using service = await startTestHttp();
  const statusOf = async (method: "GET" | "POST" | "DELETE", path: string) =>
    (await service.call(method, path)).status;
  expect(await statusOf("GET", "/v2/echo/health")).toBe(200);
  expect(await statusOf("GET", "/live/v2/echo/health")).toBe(200);
  expect(await statusOf("POST", "/live/v2/echo/health")).toBe(405);
  expect(await statusOf("GET", "/emulator/clock")).toBe(200);
  expect(await statusOf("DELETE", "/emulator/clock")).toBe(405);
  expect(await statusOf("GET", "/live/emulator/clock")).toBe(404);
  expect(await statusOf("DELETE", "/live/emulator/clock")).toBe(404);
});

it("knows a base path by all of its name", async () => {
  await using service = await startTestHttp();
  const refusalOf = async (path: string) => (await service.call("GET", path)).json;
  expect(await refusalOf("/live")).not.toHaveProperty("code");
  expect(await refusalOf("/live?a=b")).not.toHaveProperty("code");
  expect(await refusalOf("/lively/v2/echo/health")).toHaveProperty("code", "not_found");
});

it.each([
  "/v2/echo/health",
  "/live/v2/echo/health",
  "/v1/templates",
  "/emulator/clock",
  "/v1/openapi.json",
  "/docs",
  "/v2/echo/status/none",
])("answers HEAD %s with what GET has, without its body", async (path) => {
  await using service = await startTestHttp();
  const got = await answerOf(service, "GET", path);
  const head = await answerOf(service, "HEAD", path);
  expect(head.text).toBe("");
  expect(head.status).toBe(got.status);
  const { date: _, connection: __, "keep-alive": ___, ...headers } = got.headers;
  expect(head.headers).toMatchObject(headers);
});

it.each(["/emulator/events", "/emulator/logs", "/v2/echo/stream/ID"])(
  "ends what HEAD %s is answered with its head, where GET would be pushed for as long as it goes on",
  async (path) => {
    await using service = await startTestHttp();
    const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
    const target = path.replace("ID", (json as { id: string }).id);
    const answer = await request(`${service.url}${target}`, {
      method: "HEAD",
      headers: { authorization: KEY, accept: "text/event-stream" },
    });
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(await answer.body.text()).toBe("");
  },
);

it("takes no chunks by HEAD that a reader is to get", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const path = `/v2/echo/stream/${(json as { id: string }).id}`;
  const job = await worker.nextJob();
  await worker.chunks(job, ["a"]);
  await worker.complete(job, "done");
  expect((await answerOf(service, "HEAD", path)).status).toBe(200);
  expect((await answerOf(service, "GET", path)).text).toContain('"a"');
});

it("does not let HEAD take a worker's jobs", async () => {
  await using service = await startTestHttp();
  const answer = await answerOf(service, "HEAD", "/live/v2/echo/job-take/w");
  expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET"]);
});

it.each([
  "/v2/echo/run/",
  "//v2/echo/run",
  "/v2//echo///run",
  "/live/v2/echo/run/",
  "//live//v2/echo/run",
])("takes POST %s as the path without the slashes that say nothing", async (path) => {
  await using service = await startTestHttp();
  const answer = await answerOf(service, "POST", path);
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { status: "IN_QUEUE" }]);
});

it("refuses what has such slashes as it refuses the path without them", async () => {
  await using service = await startTestHttp();
  const answer = await answerOf(service, "GET", "/v2/echo//run/");
  expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST"]);
  const live = await answerOf(service, "POST", "//live/v2/echo/health/");
  expect(live.status).toBe(405);
  expect(JSON.parse(live.text)).not.toHaveProperty("code");
});
