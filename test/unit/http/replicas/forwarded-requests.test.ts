/** Requests to a replica about endpoints of another one. */
import { once } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KEY } from "../http-harness.ts";
import { jobsOf, startReplicas, type TestReplicas, until } from "./replicas-harness.ts";

const HEAD = `host: x\r\nauthorization: ${KEY}\r\n`;

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas({ stopGraceMs: 5_000, limits: "enforce" });
});
afterEach(async () => {
  vi.useRealTimers();
  await replicas[Symbol.asyncDispose]();
});

/** Submits by /run to `a`; returns the job's id. */
it("a request is answered by the endpoint's owner, with the id made by the replica that received it", async () => {
  const { a, b } = replicas;
  const id = await replicas.a.service.run();
  expect(await jobsOf(a)).toEqual([]);
  expect(await jobsOf(b)).toEqual([id]);
  const { json } = await a.service.call("GET", `/v2/echo/status/${id}`);
  expect(json).toMatchObject({ id, status: "IN_QUEUE" });
  const worker = await b.service.test.connectWorker();
  const sync = a.service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await worker.complete(await worker.nextJob(), "one");
  await worker.grant(1);
  await worker.complete(await worker.nextJob(), "two");
  expect((await sync).json).toMatchObject({ status: "COMPLETED", output: "two" });
  expect(a.service.test.engine.metrics.forwarded.series).toEqual([
    { labels: { outcome: "answered" }, value: { count: 3 } },
  ]);
});

it("the owner authorizes, limits and refuses a request, and sees the client's own headers", async () => {
  const { a, b } = replicas;
  const headers = { authorization: "wrong" };
  const refused = await a.service.call("GET", "/v2/echo/health", { headers });
  expect(refused.json).toMatchObject({ code: "unauthorized" });
  await replicas.a.service.run();
  expect(a.service.gate?.exceededLimits()).toEqual([]);
  for (const { test } of [a.service, b.service]) {
    const answered = test.engine.metrics.requests.series.map(({ labels }) => labels["operation"]);
    expect(answered).toEqual(test === a.service.test ? [] : ["health", "run"]);
  }
});

it("a forwarded answer has the form of its dialect, and HEAD has no body", async () => {
  const { a, b } = replicas;
  const live = await a.service.call("POST", "/live/v2/echo/run", { body: {} });
  expect(live.status).toBe(400);
  const worker = await b.service.test.connectWorker();
  const asked = a.service.call("POST", "/v2/echo/openai/v1/chat/completions", { body: { x: 1 } });
  const job = await worker.nextJob();
  await worker.complete(job, { choices: [] });
  expect(await asked).toMatchObject({
    json: { choices: [] },
    headers: { "x-request-id": job.jobId },
  });
  const head = await a.service.raw(
    `HEAD /v2/echo/health HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`,
  );
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: \d+\r\n[^]*\r\n\r\n$/u);
});

it("a request with Expect gets 100 Continue when the owner wants its body", async () => {
  const socket = await replicas.a.service.socket(
    `POST /v2/echo/run HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: 12\r\n\r\n`,
  );
  socket.setEncoding("utf8");
  expect(await once(socket, "data")).toEqual(["HTTP/1.1 100 Continue\r\n\r\n"]);
  socket.write('{"input":{}}');
  const [answer] = (await once(socket, "data")) as [string];
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*IN_QUEUE/u);
});

it("requests and answers can be large, and a slow reader's answer does not block others", async () => {
  const { a, b } = replicas;
  const text = "x".repeat(4_000_000);
  const worker = await b.service.test.connectWorker();
  await a.service.call("POST", "/v2/echo/run", { body: { input: { text } } });
  const job = await worker.nextJob();
  expect(job.input.byteLength).toBe(text.length + 11);
  await worker.complete(job, text);
  const path = `/v2/echo/status/${job.jobId}`;
  const slow = await a.service.socket(`GET ${path} HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`);
  await once(slow, "readable");
  expect((await a.service.call("GET", path)).json).toMatchObject({ output: text });
  let received = 0;
  slow.on("data", (piece: Buffer) => (received += piece.length));
  await once(slow, "close");
  expect(received).toBeGreaterThan(text.length);
});

it("a request is aborted at the owner if its client goes, and cut off if the owner goes in the middle of an answer", async () => {
  const { a, b } = replicas;
  const id = await replicas.a.service.run();
  const { watchers } = b.service.test.engine;
  const waiting = await a.service.socket(`GET /v2/echo/status-sync/${id} HTTP/1.1\r\n${HEAD}\r\n`);
  await until(() => watchers.isWatched(id));
  waiting.destroy();
  await until(() => !watchers.isWatched(id));
  const following = await a.service.open(`/v2/echo/stream/${id}`, { accept: "text/event-stream" });
  b.way.close();
  await expect(following.body.text()).rejects.toThrow("other side closed");
  expect(a.service.test.engine.metrics.forwarded.series).toContainEqual({
    labels: { outcome: "client_gone" },
    value: { count: 1 },
  });
});

it("a request is retried over a new connection if the old one was gone, unless it could run twice", async () => {
  const { a, b } = replicas;
  const id = await replicas.a.service.run();
  const freeze = vi.spyOn(b.service.test.engine.steps, "commit");
  freeze.mockImplementation(() => new Promise(() => undefined));
  const submitted = a.service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const cancelled = a.service.call("POST", `/v2/echo/cancel/${id}`);
  await until(() => freeze.mock.calls.length === 2);
  freeze.mockRestore();
  b.way.close();
  await b.way.open();
  expect((await submitted).status).toBe(200);
  expect(await cancelled).toMatchObject({
    status: 503,
    json: {
      code: "endpoint_moved",
      error: expect.stringContaining("may or may not have") as string,
    },
  });
  expect((await a.service.call("POST", `/v2/echo/cancel/${id}`)).status).toBe(200);
});

it("a submission is retried if only the network between the replicas was cut, and makes one job", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { a, b } = replicas;
  const answered = a.service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await vi.waitUntil(async () => (await jobsOf(b)).length === 1);
  const [id = ""] = await jobsOf(b);
  const { watchers } = b.service.test.engine;
  await until(() => watchers.isWatched(id));
  b.way.hold();
  await vi.waitUntil(() => {
    vi.advanceTimersByTime(500);
    return !watchers.isWatched(id);
  });
  b.way.letGo();
  await until(() => watchers.isWatched(id));
  const worker = await b.service.test.connectWorker();
  await worker.complete(await worker.nextJob(), "once");
  expect((await answered).json).toMatchObject({ id, status: "COMPLETED", output: "once" });
  expect(await jobsOf(b)).toEqual([id]);
});

it("a request that may have run is refused as such if no owner is found", async () => {
  const { a, b } = replicas;
  const answered = a.service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await vi.waitUntil(async () => (await jobsOf(b)).length === 1);
  const { clock } = a.service.test;
  const { armed } = clock;
  b.way.close();
  await until(() => clock.armed > armed);
  await clock.advance(120_000);
  const { status, json } = await answered;
  expect(status).toBe(503);
  expect(json).toMatchObject({ error: expect.stringContaining("may or may not have") as string });
});

it("a request is answered with the known state if the client's replica stops", async () => {
  const { a, b } = replicas;
  const answered = a.service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await vi.waitUntil(async () => (await jobsOf(b)).length === 1);
  const [id = ""] = await jobsOf(b);
  await until(() => b.service.test.engine.watchers.isWatched(id));
  await a.service.http.stop();
  const { json, headers } = await answered;
  expect(json).toEqual({ id, status: "IN_QUEUE" });
  expect(headers["connection"]).toBe("close");
});

it("a request to a dead replica goes to the next owner", async () => {
  const { a, b, c, cluster } = replicas;
  await replicas.a.service.run();
  b.way.fallSilent();
  const answered = a.service.call("POST", "/v2/echo/run", { body: { input: {} } });
  await a.service.test.clock.settle();
  cluster.replicas.delete("b");
  cluster.give("echo", "c");
  const { json } = await answered;
  expect(await jobsOf(c)).toEqual([(json as { id: string }).id]);
});
