/** Paths of operations: those of the interface in each dialect, the emulator's own once. */
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

it("the emulator's own operations are beside the dialects, never below another one's base path", async () => {
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

it("a base path must match as a whole", async () => {
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
])("HEAD %s gets the head of GET, without the body", async (path) => {
  await using service = await startTestHttp();
  const got = await answerOf(service, "GET", path);
  const head = await answerOf(service, "HEAD", path);
  expect(head.text).toBe("");
  expect(head.status).toBe(got.status);
  const { date: _, connection: __, "keep-alive": ___, ...headers } = got.headers;
  expect(head.headers).toMatchObject(headers);
});

it.each(["/emulator/events", "/emulator/logs", "/v2/echo/stream/ID"])(
  "HEAD %s ends after its head, although GET is pushed without an end",
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

it("HEAD consumes no chunks of a stream", async () => {
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

it("HEAD cannot take a worker's jobs", async () => {
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
])("POST %s means the path without redundant slashes", async (path) => {
  await using service = await startTestHttp();
  const answer = await answerOf(service, "POST", path);
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { status: "IN_QUEUE" }]);
});

it("a path with redundant slashes is refused like the path without them", async () => {
  await using service = await startTestHttp();
  const answer = await answerOf(service, "GET", "/v2/echo//run/");
  expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST"]);
  const live = await answerOf(service, "POST", "//live/v2/echo/health/");
  expect(live.status).toBe(405);
  expect(JSON.parse(live.text)).not.toHaveProperty("code");
});

it("an empty id is no id: a list with a slash at its end is the list", async () => {
  await using service = await startTestHttp();
  const list = await answerOf(service, "GET", "/v1/templates");
  expect(await answerOf(service, "GET", "/v1/templates/")).toMatchObject({
    status: 200,
    text: list.text,
  });
});

it.each(["%zz", "x".repeat(600)])(
  "an impossible id is refused by the operation at its path",
  async (id) => {
    await using service = await startTestHttp();
    const { text } = await answerOf(service, "POST", `/v2/${id}/openai/v1/chat/completions`);
    expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) as unknown } });
    const { text: other } = await answerOf(service, "POST", `/v2/${id}/run`);
    expect(JSON.parse(other)).toMatchObject({ error: expect.any(String) as unknown });
  },
);
