/** Endpoints over HTTP: created for a serverless template, deleted with everything that is theirs. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const create = (service: TestHttp, body: unknown) =>
  service.call("POST", "/v1/endpoints", { body });

it("creates an endpoint with the documented defaults, and it takes jobs", async () => {
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

it("keeps every field that is sent, and shows the template where it is asked for", async () => {
  await using service = await startTestHttp();
  const body = {
    name: "mine",
    templateId: "echo",
    computeType: "CPU",
    gpuTypeIds: ["NVIDIA A40", "NVIDIA L4"],
    gpuCount: 2,
    cpuFlavorIds: ["cpu3c"],
    vcpuCount: 4,
    allowedCudaVersions: ["12.8"],
    minCudaVersion: "12.4",
    dataCenterIds: ["EU-RO-1", "US-TX-3"],
    scalerType: "REQUEST_COUNT",
    scalerValue: 1,
    idleTimeout: 3_600,
    executionTimeoutMs: 5_000,
    workersMin: 1,
    workersMax: 1,
    flashboot: true,
    retries: { workerLost: 0, handlerError: 3 },
    requestsPerWorker: 7,
  };
  const created = await create(service, body);
  expect(created.json).toMatchObject(body);
  const { id } = created.json as { id: string };
  const shown = await service.call("GET", `/v1/endpoints/${id}?includeTemplate=true`);
  expect(shown.json).toMatchObject({
    ...body,
    template: { id: "echo", imageName: "sv.local/echo" },
  });
});

it("names every problem of a body, unknown keys with what was probably meant", async () => {
  await using service = await startTestHttp();
  const { status, json } = await create(service, {
    name: "",
    gpuTypeId: "NVIDIA A40",
    idleTimeout: 3_601,
    scalerValue: 0,
    executionTimeoutMs: 4_999,
    scalerType: "QUEUE",
    retries: { workerlost: 1, handlerError: 101 },
    requestsPerWorker: 0,
    cpuFlavorIds: ["cpu9z"],
    workersStandby: 1,
  });
  expect(status).toBe(400);
  const { problems } = json as { problems: string[] };
  expect(problems.toSorted()).toStrictEqual(
    [
      'name must be a string of 1 to 191 characters; got ""',
      "templateId is required and must be a string of 1 to 191 characters",
      "idleTimeout must be an integer from 1 to 3600 (seconds); got 3601",
      "scalerValue must be an integer of 1 or more; got 0",
      "executionTimeoutMs must be an integer from 5000 to 604800000 (ms); got 4999",
      'scalerType must be one of QUEUE_DELAY, REQUEST_COUNT; got "QUEUE"',
      "retries.handlerError must be an integer from 0 to 100; got 101",
      "requestsPerWorker must be an integer of 1 or more; got 0",
      'the key "workerlost" of retries is unknown',
      'cpuFlavorIds.0 must be one of cpu3c, cpu3g, cpu5c, cpu5g; got "cpu9z"',
      'the key "gpuTypeId" is unknown; did you mean gpuTypeIds?',
      'the key "workersStandby" is unknown',
    ].toSorted(),
  );
});

it.each([
  [{ workersMin: 4 }, "workersMin must not exceed workersMax, which is 3; got 4"],
  [{ networkVolumeId: "vol1" }, 'networkVolumeId names no network volume of this service: "vol1"'],
  [
    { networkVolumeIds: ["vol2"] },
    'networkVolumeIds names no network volume of this service: "vol2"',
  ],
  [{ templateId: "none" }, 'templateId names no template: "none"'],
])("refuses %j", async (body, problem) => {
  await using service = await startTestHttp();
  const { json } = await create(service, { templateId: "echo", ...body });
  expect(json).toMatchObject({ status: 400, code: "invalid_request", problems: [problem] });
});

it("refuses a Pod template", async () => {
  await using service = await startTestHttp();
  const made = await service.call("POST", "/v1/templates", {
    body: { name: "pod", imageName: "i" },
  });
  const { id } = made.json as { id: string };
  expect((await create(service, { templateId: id })).json).toMatchObject({
    status: 400,
    error:
      'templateId names the Pod template "pod"; an endpoint needs one that was created with isServerless true',
  });
});

it("deletes an endpoint with all its jobs: waiting and running ones are cancelled, its worker leaves", async () => {
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

it("leaves no job behind that was submitted while its endpoint was deleted", async () => {
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
