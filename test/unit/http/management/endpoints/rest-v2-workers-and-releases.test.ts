/** Workers and releases of an endpoint in REST v2. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const ECHO = "/live/v2/serverless/echo";

const read = async (service: TestHttp, path: string) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

const patch = (service: TestHttp, body: object) => service.call("PATCH", ECHO, { body });

test("an endpoint without workers has zero workers in every state", async () => {
  await using service = await startTestHttp();
  expect(await read(service, `${ECHO}/workers`)).toEqual({
    workers: [],
    summary: { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 0 },
    endpointVersion: 1,
  });
});

test("a worker is idle until it has a job, and stale when its endpoint has another version", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const shown = async () => read(service, `${ECHO}/workers`);
  expect(await shown()).toEqual({
    workers: [
      {
        id: worker.worker.id,
        status: "IDLE",
        gpuCount: 0,
        isStale: false,
        version: 1,
        image: "sv.local/echo",
        uptimeSeconds: 0,
        gpuTypeId: null,
        dataCenterId: null,
        startedAt: expect.any(String),
      },
    ],
    summary: expect.objectContaining({ idle: 1, total: 1 }),
    endpointVersion: 1,
  });
  await service.run();
  await worker.nextJob();
  expect(await shown()).toMatchObject({
    workers: [{ status: "RUNNING", isStale: false }],
    summary: { running: 1, idle: 0, total: 1 },
  });
  await patch(service, { image: "sv.local/other" });
  expect(await shown()).toMatchObject({
    workers: [{ status: "RUNNING", isStale: true, version: 1 }],
    endpointVersion: 2,
  });
});

test("workers that the endpoint needs and cannot get are throttled, and count among all workers", async () => {
  await using service = await startTestHttp();
  service.test.engine.fleet.setThrottled("echo", 2);
  const { workers, summary } = await read(service, `${ECHO}/workers`);
  expect(workers).toMatchObject([{ status: "THROTTLED" }, { status: "THROTTLED" }]);
  expect(summary).toMatchObject({ throttled: 2, total: 2 });
});

test.each(["workers", "releases"])("%s of an unknown endpoint are not found", async (what) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("GET", `/live/v2/serverless/none/${what}`);
  expect(status).toBe(404);
  expect(json).toMatchObject({ detail: "endpoint not found" });
});

test("each version is a release with the changed fields by their names in GraphQL", async () => {
  await using service = await startTestHttp();
  const gpu = { pools: ["ADA_24"] };
  const scaling = { type: "QUEUE_DELAY", queueDelay: 4 };
  const body = { name: "e", type: "QUEUE", image: "a:1", gpu, scaling, env: { A: "1", B: "1" } };
  const { id } = (await service.call("POST", "/live/v2/serverless", { body })).json as {
    readonly id: string;
  };
  const path = `/live/v2/serverless/${id}`;
  await service.call("PATCH", path, { body: { image: "a:2", env: { A: "2", B: "1", C: "3" } } });
  await service.call("PATCH", path, { body: { name: "in place" } });
  await service.call("PATCH", path, { body: { gpu: { count: 2 }, dataCenterIds: ["EU-RO-1"] } });
  const shown = await read(service, `${path}/releases`);
  expect(shown).toMatchObject({
    endpointVersion: 3,
    rollout: { inProgress: false, workersOnLatest: 0, workersTotal: 0, percentOnLatest: 0 },
    releases: [
      {
        version: 3,
        source: "MANUAL",
        workerCount: 0,
        buildId: null,
        createdByUserId: null,
        diff: [
          { field: "gpuCount", old: 1, new: 2 },
          { field: "locations", old: "", new: "EU-RO-1" },
        ],
      },
      {
        version: 2,
        diff: [
          { field: "template.imageName", old: "a:1", new: "a:2" },
          { field: "template.env", old: ["A"], new: ["A", "C"] },
        ],
      },
      { version: 1, diff: [] },
    ],
    pagination: { nextCursor: null, hasNextPage: false },
  });
});

test("a changed template makes a release of each of its endpoints", async () => {
  await using service = await startTestHttp();
  await service.call("PATCH", "/v1/templates/echo", { body: { containerDiskInGb: 7 } });
  expect(await read(service, `${ECHO}/releases`)).toMatchObject({
    releases: [
      { version: 2, diff: [{ field: "template.containerDiskInGb", old: 50, new: 7 }] },
      { version: 1, diff: [] },
    ],
  });
});

test("releases come page by page, and a rollout shows its progress", async () => {
  await using service = await startTestHttp();
  await service.test.connectWorker();
  for (let disk = 1; disk <= 3; disk += 1) await patch(service, { disk });
  const first = (await read(service, `${ECHO}/releases?limit=2`)) as {
    readonly pagination: { readonly nextCursor: string };
  };
  expect(first).toMatchObject({
    releases: [{ version: 4 }, { version: 3 }],
    rollout: { inProgress: true, workersOnLatest: 0, workersTotal: 1, percentOnLatest: 0 },
  });
  const rest = await read(
    service,
    `${ECHO}/releases?limit=2&cursor=${first.pagination.nextCursor}`,
  );
  expect(rest).toMatchObject({
    releases: [{ version: 2 }, { version: 1, workerCount: 1 }],
    pagination: { hasNextPage: false },
  });
});

test("the last hundred releases are kept, and go with their endpoint", async () => {
  await using service = await startTestHttp();
  for (let disk = 1; disk <= 102; disk += 1) await patch(service, { disk });
  const { releases } = (await read(service, `${ECHO}/releases`)) as {
    readonly releases: readonly { readonly version: number }[];
  };
  expect(releases.map(({ version }) => version)).toEqual(
    Array.from({ length: 100 }, (_, at) => 103 - at),
  );
  await service.call("DELETE", ECHO);
  expect(service.test.engine.steps.records.all("release")).toEqual([]);
});
