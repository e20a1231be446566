/** Requests to a replica about an endpoint that moves during the request. */
import { once } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ServiceError } from "../../../../emulator/core/service-error.ts";
import { endpointMoved } from "../../../../emulator/engine/steps/state/endpoint-moved.ts";
import { KEPT_MAX_BYTES } from "../../../../emulator/http/operation/requests/kept-body.ts";
import { KEY } from "../http-harness.ts";
import { jobsOf, startReplicas, type TestReplicas, until } from "./replicas-harness.ts";

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas({ stopGraceMs: 200 });
});
afterEach(() => replicas[Symbol.asyncDispose]());

/** Submits by /run to `a`. */
function submit() {
  return replicas.a.service.call("POST", "/v2/echo/run", { body: { input: {} } });
}

it("a request is not forwarded a second time, and the client never sees the wrong owner's answer", async () => {
  const { a, b, c, cluster } = replicas;
  a.ownership.believes.set("echo", b.ownership.self);
  cluster.owners.set("echo", "c");
  const { clock } = a.service.test;
  const { armed } = clock;
  const answered = submit();
  await until(() => clock.armed > armed);
  a.ownership.believes.clear();
  cluster.announce();
  const { json, headers } = await answered;
  expect(headers).not.toHaveProperty("sv-endpoint-moved");
  expect(await jobsOf(c)).toEqual([(json as { id: string }).id]);
  expect([await jobsOf(a), await jobsOf(b)]).toEqual([[], []]);
});

it("a request is sent again to a replica that is about to get the endpoint", async () => {
  const { a, c, cluster } = replicas;
  a.ownership.believes.set("echo", c.ownership.self);
  const { clock } = a.service.test;
  const { armed } = clock;
  const answered = submit();
  await until(() => clock.armed > armed);
  cluster.owners.set("echo", "c");
  await clock.advance(100);
  const { json } = await answered;
  expect(await jobsOf(c)).toEqual([(json as { id: string }).id]);
});

it("a request returns to the replica that received it if that now owns the endpoint", async () => {
  const { a, cluster } = replicas;
  cluster.owners.set("echo", undefined);
  const answered = submit();
  const { clock, engine } = a.service.test;
  await until(() => clock.armed > 0);
  await clock.advance(300);
  cluster.give("echo", "a");
  const { json } = await answered;
  expect(await jobsOf(a)).toEqual([(json as { id: string }).id]);
  expect(engine.metrics.forwardedWait.series).toMatchObject([{ value: { sum: 0.3 } }]);
});

it("a request arrives complete at the next owner, even if its body was larger than the kept part", async () => {
  const { a, c, cluster } = replicas;
  a.ownership.believes.set("echo", replicas.b.ownership.self);
  cluster.owners.set("echo", undefined);
  const { clock } = a.service.test;
  const { armed } = clock;
  const body = JSON.stringify({ input: { text: "x".repeat(2 * KEPT_MAX_BYTES) } });
  const socket = await a.service.socket(
    `POST /v2/echo/run HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.slice(0, KEPT_MAX_BYTES / 2));
  await until(() => clock.armed > armed);
  socket.write(body.slice(KEPT_MAX_BYTES / 2));
  // The other end sends what fits into the window.
  for (let turns = 0; turns < 200; turns += 1) await new Promise(setImmediate);
  a.ownership.believes.clear();
  cluster.give("echo", "c");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK[^]*IN_QUEUE/u);
  expect(await jobsOf(c)).toHaveLength(1);
  const worker = await c.service.test.connectWorker();
  expect((await worker.nextJob()).input.byteLength).toBe(body.length - '{"input":}'.length);
});

it("a request waits two seconds for an owner, then it is refused", async () => {
  const { a, cluster } = replicas;
  cluster.owners.set("echo", undefined);
  const { clock } = a.service.test;
  const answered = submit();
  let isAnswered = false;
  void answered.then(() => (isAnswered = true));
  const { armed } = clock;
  await until(() => clock.armed > armed);
  await clock.advance(1_999);
  expect(isAnswered).toBe(false);
  await clock.advance(1);
  const { status, json, headers } = await answered;
  const { message } = endpointMoved({ endpointId: "echo" });
  expect([status, json]).toMatchObject([503, { code: "endpoint_moved", error: message }]);
  expect(headers["retry-after"]).toBe("1");
});

it("a waiting request continues at the new owner with the rest of its wait", async () => {
  const { a, b, c, cluster } = replicas;
  const answered = a.service.call("POST", "/v2/echo/runsync?wait=10000", { body: { input: {} } });
  await vi.waitUntil(async () => (await jobsOf(b)).length === 1);
  const [id = ""] = await jobsOf(b);
  await a.service.test.clock.advance(4_000);
  b.way.close();
  cluster.give("echo", "c");
  await vi.waitUntil(async () => (await jobsOf(c)).length === 1);
  expect(await jobsOf(c)).toEqual([id]);
  const { clock } = c.service.test;
  await clock.advance(5_999);
  const worker = await c.service.test.connectWorker();
  await worker.complete(await worker.nextJob(), "late");
  expect((await answered).json).toMatchObject({ status: "COMPLETED", output: "late" });
});

it("a request in progress continues at the new owner when its endpoint moves", async () => {
  const { a, c, cluster } = replicas;
  cluster.owners.set("echo", "a");
  const moved = vi.spyOn(a.service.test.engine.steps, "commit").mockImplementationOnce(async () => {
    cluster.give("echo", "c");
    throw new ServiceError("endpoint_moved", "it has moved");
  });
  const { json } = await submit();
  moved.mockRestore();
  expect(await jobsOf(c)).toEqual([(json as { id: string }).id]);
});

it("a stopping owner answers requests until it has released the endpoint, and does not wait for them longer", async () => {
  const { b } = replicas;
  const works = Promise.withResolvers<void>();
  const stopped = b.service.http.stop(works.promise);
  const { status, headers, json } = await submit();
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty("connection", "close");
  expect(await jobsOf(b)).toEqual([(json as { id: string }).id]);
  expect((await b.service.call("GET", "/v2/echo/health")).json).toMatchObject({
    code: "shutting_down",
  });
  works.resolve();
  await expect(stopped).resolves.toBeUndefined();
});

it("a request that waits at a stopping owner continues at the next owner", async () => {
  const { a, b, c, cluster } = replicas;
  const answered = a.service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await vi.waitUntil(async () => (await jobsOf(b)).length === 1);
  const [id = ""] = await jobsOf(b);
  const { ownership, watchers } = b.service.test.engine;
  await until(() => watchers.isWatched(id));
  const works = Promise.withResolvers<void>();
  const stopped = b.service.http.stop(works.promise);
  await b.service.test.clock.settle();
  vi.spyOn(ownership, "owns").mockReturnValue(false);
  watchers.endpointsMoved(() => true);
  cluster.give("echo", "c");
  const worker = await c.service.test.connectWorker();
  await worker.complete(await worker.nextJob(), "at the next one");
  expect((await answered).json).toMatchObject({ id, output: "at the next one" });
  works.resolve();
  await stopped;
});

it("a request goes to the next owner after its owner has stopped", async () => {
  const { a, b, c, cluster } = replicas;
  await submit();
  await b.service.http.stop();
  const answered = submit();
  await a.service.test.clock.settle();
  cluster.give("echo", "c");
  const { json } = await answered;
  expect(await jobsOf(c)).toEqual([(json as { id: string }).id]);
});
