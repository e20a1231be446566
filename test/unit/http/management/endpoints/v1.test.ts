/** Endpoints over HTTP: created for a serverless template, deleted with their jobs and workers. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const create = (service: TestHttp, body: unknown) =>
  service.call("POST", "/v1/endpoints", { body });

it("a new endpoint has the documented defaults, and takes jobs", async () => {
  await using service = await startTestHttp();
  const created = await create(service, { templateId: "echo" });
  expect(created.status).toBe(200);
  expect(created.json).toStrictEqual({
    id: expect.stringMatching(/^[a-z0-9]{14}$/),
    name: "echo",
    templateId: "echo",
    type: "QUEUE",
    computeType: "GPU",
    gpuTypeIds: [],
    gpuCount: 1,
    scalerType: "QUEUE_DELAY",
    scalerValue: 4,
    idleTimeout: 5,
    executionTimeoutMs: 600_000,
    workersMin: 0,
    workersMax: 3,
    retries: { workerLost: 1, handlerError: 0 },
    requestsPerWorker: 50,
    allowedCudaVersions: [],
    dataCenterIds: [],
    networkVolumeIds: [],
    env: {},
    userId: "user_local",
    version: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
  });
  const { id } = created.json as { id: string };
  expect((await service.call("GET", `/v1/endpoints/${id}`)).json).toStrictEqual(created.json);
  const list = (await service.call("GET", "/v1/endpoints")).json as { id: string }[];
  expect(list.map((endpoint) => endpoint.id)).toStrictEqual(["echo", id]);
  expect((await service.call("POST", `/v2/${id}/run`, { body: { input: {} } })).status).toBe(200);
});

it("a deletion cancels all waiting and running jobs of the endpoint, and its worker leaves", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const other = (await service.call("POST", "/v2/other/run", { body: { input: {} } })).json as {
    id: string;
  };
  const worker = await service.test.connectWorker();
  const waitingForRunning = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const running = await worker.nextJob();
  const waiting = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const submissions = Array.from({ length: 450 }, () =>
    service.call("POST", "/v2/echo/run", { body: { input: {} } }),
  );
  await Promise.all(submissions);

  const deleted = await service.call("DELETE", "/v1/endpoints/echo");
  expect(deleted).toMatchObject({ status: 204, text: "" });
  expect((await waitingForRunning).json).toMatchObject({ id: running.jobId, status: "CANCELLED" });
  expect((await waiting).json).toMatchObject({ status: "CANCELLED" });
  expect(worker.orders).toContainEqual({
    revocations: [{ jobId: running.jobId, leaseToken: running.leaseToken, reason: "cancelled" }],
  });
  await service.test.clock.settle();
  expect(worker.orders).toContainEqual({ drain: true });
  for (const path of [
    "/v1/endpoints/echo",
    `/v2/echo/status/${running.jobId}`,
    "/v2/echo/health",
  ]) {
    expect((await service.call("GET", path)).json).toMatchObject({
      status: 404,
      code: "endpoint_not_found",
    });
  }
  const left = await service.test.engine.store.jobsOf("echo", 0, 1);
  expect(left).toStrictEqual([]);
  expect((await service.call("GET", `/v2/other/status/${other.id}`)).json).toMatchObject({
    status: "IN_QUEUE",
  });
  expect((await service.call("DELETE", "/v1/templates/echo")).status).toBe(204);
});

it("a deletion leaves no job that was submitted during it", async () => {
  await using service = await startTestHttp();
  const submissions = Array.from({ length: 30 }, () =>
    service.call("POST", "/v2/echo/run", { body: { input: {} } }),
  );
  const deletion = service.call("DELETE", "/v1/endpoints/echo");
  const late = Array.from({ length: 30 }, () =>
    service.call("POST", "/v2/echo/run", { body: { input: {} } }),
  );
  const statuses = (await Promise.all([...submissions, ...late])).map(({ status }) => status);
  expect((await deletion).status).toBe(204);
  expect(new Set(statuses).difference(new Set([200, 404]))).toStrictEqual(new Set());
  expect(await service.test.engine.store.jobsOf("echo", 0, 1)).toStrictEqual([]);
});
