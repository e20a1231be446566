/** Answers of a replica that does not own everything: lists over all replicas, and resources of others. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { LaunchedWorker } from "../../../../emulator/launch/launcher.ts";
import type { TestHttp } from "../http-harness.ts";
import { follow } from "../emulator/observe/follow-events.ts";
import { jobsOf, startReplicas, type TestReplica, type TestReplicas } from "./replicas-harness.ts";

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas({ dashboard: "on" });
});
afterEach(() => replicas[Symbol.asyncDispose]());

async function listed(path: string, member: string): Promise<readonly Record<string, unknown>[]> {
  const { json } = await replicas.a.service.call("GET", path);
  const list = member === "" ? json : (json as Record<string, unknown>)[member];
  return list as Record<string, unknown>[];
}

it("the workers of all replicas are listed, each by its endpoint's owner", async () => {
  const { a, b, c } = replicas;
  const workers = [];
  for (const { service } of [a, b, c]) workers.push(await service.test.connectWorker());
  const ids = workers.map(({ worker }) => worker.id);
  expect((await listed("/emulator/workers", "workers")).map(({ id }) => id)).toEqual(ids);
  const [ofB] = await listed("/emulator/workers?endpointId=echo", "workers");
  expect(ofB).toMatchObject({ id: ids[1] });
  const [endpoint] = await listed("/v1/endpoints?includeWorkers=true", "");
  expect(((endpoint?.["workers"] ?? []) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  const pods = await listed("/v1/pods?includeWorkers=true", "");
  expect(new Set(pods.map(({ id }) => id))).toEqual(new Set(ids));
  c.way.close();
  expect(await listed("/emulator/workers", "workers")).toHaveLength(2);
});

it("endpoints are reported by their owners, and exceeded limits by all replicas", async () => {
  const { a, b } = replicas;
  await b.service.test.connectWorker();
  const [endpoint, ...others] = await listed("/emulator/endpoints", "endpoints");
  expect(endpoint).toMatchObject({ id: "echo", workers: { ready: 1 } });
  expect(others).toEqual([]);
  expect((await a.service.call("GET", "/emulator/limits")).json).toEqual({
    mode: "off",
    exceeded: [],
  });
});

it("each listed replica describes itself; one that does not answer is described from the store", async () => {
  const { a, b, c } = replicas;
  const worker = await b.service.test.connectWorker();
  await a.service.run();
  await worker.nextJob();
  c.way.close();
  const { json } = await a.service.call("GET", "/emulator/replicas");
  const known = { version: "1", startedAt: "1970-01-01T00:00:00.000Z" };
  const lease = { leaseEndsAt: "1970-01-01T00:00:05.000Z", clockAheadMs: 0 };
  const entry = ({ ownership: { self } }: TestReplica) => ({ ...self, ...known, ...lease });
  expect(json).toEqual({
    answeredBy: "a",
    replicas: [
      { ...entry(a), partitions: [], endpoints: 0, workers: 0, running: 0 },
      { ...entry(b), partitions: [0], endpoints: 1, workers: 1, running: 1 },
      { ...entry(c), partitions: [], endpoints: 0 },
    ],
    unowned: [1],
  });
});

it("a worker of any replica is found", async () => {
  const { a, b } = replicas;
  const { worker } = await b.service.test.connectWorker();
  const kill = (id: string) => a.service.call("POST", `/emulator/workers/${id}/kill`);
  let kills = 0;
  worker.launched = { kill: () => void (kills += 1) } as LaunchedWorker;
  expect((await kill(worker.id)).status).toBe(202);
  expect(kills).toBe(1);
  expect((await kill("nobody")).json).toMatchObject({ code: "worker_not_found" });
});

it("a stopping replica shows its workers and events while it works", async () => {
  const { a, b } = replicas;
  const { worker } = await b.service.test.connectWorker();
  const events = await follow(a.service);
  const works = Promise.withResolvers<void>();
  const stopped = b.service.http.stop(works.promise);
  expect(await listed("/emulator/workers", "workers")).toMatchObject([{ id: worker.id }]);
  worker.launched = { kill: () => undefined } as LaunchedWorker;
  const kill = await a.service.call("POST", `/emulator/workers/${worker.id}/kill`);
  expect(kill.status).toBe(202);
  const jobId = await a.service.run();
  const told = [await events.next(), await events.next()];
  expect(told.map(({ data }) => data["jobId"])).toContain(jobId);
  works.resolve();
  await stopped;
});

it("jobs that match a filter are changed by the owner of the filter's endpoint, which is required", async () => {
  const { a, b } = replicas;
  await a.service.run();
  const change = (body: unknown) => a.service.call("POST", "/emulator/jobs/cancel", { body });
  expect((await change({ filter: {} })).json).toMatchObject({
    code: "invalid_request",
    error: /^endpointId is needed/u,
  });
  expect((await change([])).json).toMatchObject({ code: "invalid_request" });
  expect((await change({ filter: { endpointId: "echo" } })).json).toMatchObject({ done: 1 });
  const [id] = await jobsOf(b);
  expect((await b.service.call("GET", `/v2/echo/status/${id}`)).json).toMatchObject({
    status: "CANCELLED",
  });
});

it("every replica shows the pods, which belong to one replica", async () => {
  const { a, b, c } = replicas;
  const created = await a.service.call("POST", "/v1/pods", { body: { imageName: "image" } });
  expect(created.status).toBe(201);
  const { id } = created.json as { id: string };
  expect((await c.service.call("GET", `/v1/pods/${id}`)).json).toMatchObject({ id });
  expect(b.service.test.engine.directory.endpoints()).toHaveLength(1);
});

it("records are refreshed before they are read or changed, and before an endpoint is reported missing", async () => {
  const { a, b, cluster } = replicas;
  await a.service.call("GET", "/v2/echo/health");
  expect(cluster.refreshed).toBe(0);
  await a.service.call("GET", "/v2/none/health");
  expect(cluster.refreshed).toBe(1);
  await b.service.call("GET", "/lb/none/");
  expect(cluster.refreshed).toBe(2);
  await a.service.call("GET", "/v1/templates");
  expect(cluster.refreshed).toBe(3);
  await a.service.call("GET", "/v1/endpoints/echo");
  expect(cluster.refreshed).toBe(4);
});

it("an owner refreshes its records before it answers a forwarded request, since the key may be new", async () => {
  const { a, b, cluster } = replicas;
  const health = ({ service }: typeof a) => service.call("GET", "/v2/echo/health");
  await a.service.call("PATCH", "/v1/templates/echo", { body: { env: { MODE: "fast" } } });
  const before = cluster.refreshed;
  await health(b);
  expect(cluster.refreshed).toBe(before);
  await health(a);
  expect(cluster.refreshed).toBe(before + 1);
});

it("a dashboard session is valid at the replica that began it, also for other replicas' endpoints", async () => {
  const { a, c } = replicas;
  const ask = (service: TestHttp, line: string, header: string, body = "") =>
    service.raw(
      `${line} HTTP/1.1\r\nhost: x\r\nx-sv-dashboard: 1\r\n${header}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  const link = new URL(a.service.http.dashboardLink(a.service.url) ?? "");
  const ticket = JSON.stringify({ ticket: link.searchParams.get("ticket") });
  const begun = await ask(a.service, "POST /emulator/session", "x: y", ticket);
  const cookie = `cookie: ${/^set-cookie: ([^;]*)/imu.exec(begun)?.[1]}`;
  const line = "GET /emulator/endpoints/echo/series";
  expect(await ask(a.service, line, cookie)).toMatch(/^HTTP\/1\.1 200 /u);
  expect(await ask(a.service, line, "x: y")).toMatch(/^HTTP\/1\.1 401 /u);
  expect(await ask(c.service, line, cookie)).toMatch(/^HTTP\/1\.1 401 /u);
  await c.service.test.connectWorker();
  expect(await ask(a.service, "GET /emulator/workers", cookie)).toContain('"endpointId":"echo"');
});
