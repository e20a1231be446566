/** Endpoints for operators over HTTP: their state, their last hour, and the scaler's decisions. */
import { expect, it } from "vitest";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { storeWith } from "../../../engine/store-with.ts";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { startTestHttp, USER_KEY } from "../../http-harness.ts";

interface Overview {
  readonly id: string;
  readonly sparkline: Readonly<Record<"queued" | "running", readonly (number | null)[]>>;
}

type Points = Readonly<Record<string, readonly (number | null)[]>>;

async function setUp(settings = {}) {
  const launcher = new ScriptedLauncher();
  const service = await startTestHttp({ launcher, limits: "warn" });
  const { test } = service;
  if (Object.keys(settings).length > 0) await test.addEndpoint("echo", settings);
  const get = async <Body>(path: string) =>
    (await service.call("GET", `/emulator/endpoints${path}`)).json as Body;
  return {
    ...{ service, test, launcher, get },
    run: async () => {
      await service.run();
      await test.clock.settle();
    },
    decisions: async (query = "") =>
      (await get<{ decisions: readonly Record<string, unknown>[] }>(`/echo/decisions${query}`))
        .decisions,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

it("the list has all endpoints with their present jobs and workers, and the durations of the last minutes", async () => {
  await using scene = await setUp();
  const { test, launcher, service } = scene;
  await test.addEndpoint("quiet");
  await scene.run();
  await scene.run();
  const worker = await launcher.at(0).connect(test.engine);
  const job = await worker.nextJob();
  await test.clock.advance(3_000);
  await worker.complete(job);
  for (let nth = 0; nth < 3; nth += 1) await service.call("POST", "/v2/echo/purge-queue");
  const { endpoints } = await scene.get<{ endpoints: readonly Overview[] }>("");
  expect(endpoints.map(({ id }) => id).toSorted()).toEqual(["echo", "quiet"]);
  const [echo] = endpoints.filter(({ id }) => id === "echo");
  expect(echo).toMatchObject({
    ...{ type: "QUEUE", version: 1, workersMin: 0, workersMax: 10 },
    jobs: { completed: 1, failed: 0, inQueue: 0, inProgress: 0 },
    workers: { initializing: 0, ready: 1, draining: 0, unhealthy: 0, lost: 0 },
    refusedInProduction: 1,
    newest: { delayP50: 0, delayP95: 0, executionP50: 3_000, executionP95: 3_000 },
  });
  const { queued, running } = echo?.sparkline ?? { queued: [], running: [] };
  expect([queued.length, queued.at(-2), queued.at(-1)]).toEqual([60, null, 2]);
  expect([running.at(-2), running.at(-1)]).toEqual([null, 1]);
});

it("the series shows the last hour of an endpoint, with a value for each step", async () => {
  await using scene = await setUp();
  const { test, launcher } = scene;
  await scene.run();
  const worker = await launcher.at(0).connect(test.engine);
  const job = await worker.nextJob();
  await test.clock.advance(12_000);
  await worker.complete(job);
  await test.clock.advance(10_000);
  const series = await scene.get<{ endsAt: string; stepMs: number; points: Points }>(
    "/echo/series",
  );
  expect(series).toMatchObject({
    stepMs: 10_000,
    endsAt: new Date(test.clock.now() + 8_000).toISOString(),
  });
  const newest = Object.entries(series.points).flatMap(([name, values]) =>
    name === "workers" ? [] : [[name, values.slice(-4)] as const],
  );
  expect(Object.fromEntries(newest)).toEqual({
    queued: [null, 1, 0, 0],
    running: [null, 1, 1, 0],
    completed: [null, 0, 1, 0],
    failed: [null, 0, 0, 0],
    delayP50: [null, 0, null, null],
    delayP95: [null, 0, null, null],
    executionP50: [null, null, 12_000, null],
    executionP95: [null, null, 12_000, null],
  });
  expect(series.points["queued"]).toHaveLength(360);
  expect(series.points["workers"]).toMatchObject({ ready: expect.any(Array) });
});

it("the series includes jobs that have waited since an earlier run", async () => {
  const memory = createMemoryStore();
  // The data of the earlier run still exists when the next run opens the store.
  const store = storeWith(memory, { close: async () => undefined });
  const before = await startTestHttp({ store });
  await before.call("POST", "/v2/echo/run", { body: { input: {} } });
  await before[Symbol.asyncDispose]();
  await using service = await startTestHttp({ store: memory });
  const { json } = await service.call("GET", "/emulator/endpoints");
  const { endpoints } = json as { endpoints: readonly Overview[] };
  expect(endpoints[0]?.sparkline.queued.at(-1)).toBe(1);
});

it("the scaler's decisions are listed with their reasons, newest first", async () => {
  await using scene = await setUp({ scalerType: "REQUEST_COUNT", scalerValue: 2, workersMax: 2 });
  const { test, launcher } = scene;
  const at = new Date(test.clock.now()).toISOString();
  await scene.run();
  for (let nth = 0; nth < 5; nth += 1) await scene.run();
  const shown = await scene.decisions();
  expect(shown).toEqual([
    {
      ...{ at, start: 0, drain: [], workers: 2, wanted: 2 },
      reason:
        "5 waiting and 0 running, 2 for each worker (scalerValue), make 3 workers; held back: workersMax allows 2 workers",
    },
    {
      ...{ at, start: 1, drain: [], workers: 1, wanted: 2 },
      reason: "3 waiting and 0 running, 2 for each worker (scalerValue), make 2 workers",
    },
    {
      ...{ at, start: 1, drain: [], workers: 0, wanted: 1 },
      reason: "1 waiting and 0 running, 2 for each worker (scalerValue), make 1 worker",
    },
  ]);
  expect(await scene.decisions("?limit=1")).toEqual(shown.slice(0, 1));
  launcher.at(0).exit({ exitCode: 1 });
  await test.clock.settle();
  expect(await scene.decisions("?limit=1")).toMatchObject([
    {
      start: 0,
      reason: expect.stringMatching(
        /make 3 workers; held back: workersMax allows 2 workers; held back: a worker failed, and the next one is started in 1 s$/u,
      ),
    },
  ]);
});

it("the scaler's decisions are sent as events", async () => {
  await using scene = await setUp();
  const events: unknown[] = [];
  const unfollow = scene.test.engine.events.follow((event) => {
    if (event.type === "scale") events.push(event);
  });
  await scene.run();
  unfollow();
  expect(events).toMatchObject([
    { endpointId: "echo", start: 1, wanted: 1, reason: "a job waits, and there is no worker" },
  ]);
});

it("the series needs the admin's key and an existing endpoint", async () => {
  await using scene = await setUp();
  const { service } = scene;
  const headers = { authorization: USER_KEY };
  for (const path of ["/endpoints", "/endpoints/echo/series", "/workers", "/limits"])
    expect((await service.call("GET", `/emulator${path}`, { headers })).status).toBe(403);
  for (const path of ["/endpoints/no/series", "/endpoints/no/decisions", "/workers?endpointId=no"])
    expect((await service.call("GET", `/emulator${path}`)).json).toMatchObject({
      code: "endpoint_not_found",
    });
});
