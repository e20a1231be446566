/** Operators' view of workers over HTTP, and their actions. */
import { expect, it } from "vitest";
import { WorkerHandle } from "../../../../../emulator/engine/workers/worker-handle.ts";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";

type Shown = Readonly<Record<string, unknown>>;

async function setUp(launcher = new ScriptedLauncher()) {
  const service = await startTestHttp({ launcher });
  const { test } = service;
  const iso = (ms = 0) => new Date(test.clock.now() + ms).toISOString();
  return {
    ...{ service, test, launcher, iso },
    run: async () => {
      const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
      await test.clock.settle();
      return (json as { id: string }).id;
    },
    workers: async (query = "") => shownWorkers(service, query),
    statusOf: async (id: string) => {
      const { json } = await service.call("GET", `/v2/echo/status/${id}`);
      return (json as { status: string }).status;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function shownWorkers(service: TestHttp, query: string): Promise<readonly Shown[]> {
  const { json } = await service.call("GET", `/emulator/workers${query}`);
  return (json as { workers: readonly Shown[] }).workers;
}

it("a worker is shown for an hour with its stages, its jobs and its end", async () => {
  await using scene = await setUp();
  const { test, launcher, iso } = scene;
  const { promise: preparing, resolve: pulled } = Promise.withResolvers<void>();
  launcher.preparing = preparing;
  const [first, second] = [await scene.run(), await scene.run()];
  const startedAt = iso();
  expect(await scene.workers()).toMatchObject([{ state: "initializing", startedAt, jobs: [] }]);
  await test.clock.advance(1_000);
  pulled();
  await test.clock.settle();
  const pulledAt = iso();
  await test.clock.advance(1_000);
  const script = launcher.at(0);
  const worker = await script.connect(test.engine);
  const readyAt = iso();
  const id = script.order.workerId;
  await test.clock.advance(500);
  const [shown = {}] = await scene.workers("?endpointId=echo");
  expect(shown).toMatchObject({
    ...{ id, endpointId: "echo", version: 1, state: "ready", launcher: "process", pid: 4_711 },
    ...{ frozen: false, gpus: [], startedAt, pulledAt, bootedAt: readyAt, readyAt },
    ...{ jobs: [{ jobId: first, startedAt: readyAt }], past: [], lines: [] },
  });
  expect(shown).not.toHaveProperty("endedAt");
  await worker.complete(await worker.nextJob());
  await worker.grant();
  await test.clock.advance(100);
  script.exit({ signal: "SIGSEGV", lastLogLines: ["the end"] });
  await test.clock.settle();
  const ended = {
    ...{ id, state: "ended", endedAt: iso(), end: "unasked", jobs: [] },
    exit: { message: "was ended by SIGSEGV", signal: "SIGSEGV", outOfMemory: false },
    past: [
      { jobId: first, startedAt: readyAt, endedAt: iso(-100), outcome: "completed" },
      { jobId: second, startedAt: iso(-100), endedAt: iso(), outcome: "lost" },
    ],
    lines: [{ message: "the end" }],
  };
  expect(await scene.workers()).toMatchObject([ended]);
  await test.clock.advance(60 * 60_000);
  const others = (await scene.workers()).filter((each) => each["id"] === id);
  expect(others).toMatchObject([{ id }]);
  await test.clock.advance(1);
  expect((await scene.workers()).filter((each) => each["id"] === id)).toEqual([]);
});

it("one worker can be read, running or ended, with as many of its jobs as requested", async () => {
  await using scene = await setUp();
  const { test, launcher } = scene;
  const ids = [await scene.run(), await scene.run(), await scene.run()];
  const script = launcher.at(0);
  const worker = await script.connect(test.engine);
  for (const _ of ids) {
    await worker.complete(await worker.nextJob());
    await worker.grant();
  }
  await test.clock.settle();
  const idOf = ({ id }: Shown) => id;
  const { workerId } = script.order;
  const past = async (query: string) =>
    (await scene.workers(`?workerId=${workerId}${query}`))[0]?.["past"];
  expect(await past("")).toMatchObject(ids.map((jobId) => ({ jobId })));
  expect(await past("&past=2")).toMatchObject(ids.slice(1).map((jobId) => ({ jobId })));
  expect(await past("&past=0")).toEqual([]);
  expect(await scene.workers("?workerId=nobody")).toEqual([]);
  await scene.run();
  script.exit({ signal: "SIGSEGV" });
  await test.clock.advance(10_000);
  await scene.run();
  const running = launcher.at(1).order.workerId;
  expect((await scene.workers(`?workerId=${workerId}`)).map(idOf)).toEqual([workerId]);
  expect((await scene.workers(`?workerId=${running}`)).map(idOf)).toEqual([running]);
  expect((await scene.workers()).map(idOf)).toEqual(expect.arrayContaining([workerId, running]));
});

it("the start of a running job is moved by an advance of the clock", async () => {
  await using scene = await setUp();
  const { test, launcher, service } = scene;
  const jobId = await scene.run();
  const worker = await launcher.at(0).connect(test.engine);
  await worker.nextJob();
  await service.call("POST", "/emulator/clock", { body: { advance: "1h" } });
  const [job] = test.engine.steps.jobsInMemory(({ id }) => id === jobId);
  const startedAt = new Date(job?.startedAt ?? 0).toISOString();
  expect(startedAt).toBe(new Date(test.engine.clock.now()).toISOString());
  expect(await scene.workers()).toMatchObject([{ jobs: [{ jobId, startedAt }] }]);
});

it("the newest lines of each worker are shown, as many as requested", async () => {
  await using scene = await setUp();
  await scene.run();
  const { workerId } = scene.launcher.at(0).order;
  const { logs } = scene.test.engine;
  const say = (line: string, by = workerId) =>
    logs.workerLine({ endpointId: "echo", workerId: by, line });
  for (let nth = 0; nth < 60; nth += 1) {
    say(`line ${nth}`);
    say("of another", "another");
  }
  say(JSON.stringify({ time: 0, level: "warn", msg: "of a job", jobId: "j", stream: "stdout" }));
  const [all = {}] = await scene.workers();
  expect(all["lines"]).toHaveLength(50);
  const [few = {}] = await scene.workers("?lines=2");
  expect(few["lines"]).toMatchObject([
    { level: "info", message: "line 59" },
    { at: "1970-01-01T00:00:00.000Z", level: "warn", message: "of a job", jobId: "j" },
  ]);
  const [none = {}] = await scene.workers("?lines=0");
  expect(none["lines"]).toEqual([]);
});

it("the memory of a worker's processes is shown every 10 s, if known", async () => {
  await using scene = await setUp();
  await scene.run();
  const script = scene.launcher.at(0);
  const worker = await script.connect(scene.test.engine, 0);
  script.resident = 5_000_000;
  await scene.test.clock.advance(10_000);
  await worker.report({});
  script.resident = 7_000_000;
  await scene.test.clock.advance(10_000);
  const endsAt = scene.iso();
  await scene.test.clock.advance(3_000);
  const [shown] = await scene.workers();
  expect(shown).toMatchObject({
    memory: { stepMs: 10_000, endsAt, bytes: [5_000_000, 7_000_000] },
  });
});

it("a killed worker's job is recovered like after a crash", async () => {
  await using scene = await setUp();
  const { test, launcher, service } = scene;
  const id = await scene.run();
  const worker = await launcher.at(0).connect(test.engine);
  await worker.nextJob();
  const path = `/emulator/workers/${launcher.at(0).order.workerId}/kill`;
  const { status, text } = await service.call("POST", path);
  expect([status, text]).toEqual([202, ""]);
  await test.clock.settle();
  expect(launcher.at(0).wasKilled).toBe(true);
  expect(await scene.statusOf(id)).toBe("IN_QUEUE");
  await test.clock.advance(1_000);
  const next = await launcher.at(1).connect(test.engine);
  await next.complete(await next.nextJob());
  expect(await scene.statusOf(id)).toBe("COMPLETED");
  expect(await service.call("POST", path)).toMatchObject({
    status: 404,
    json: { code: "worker_not_found" },
  });
});

it("a frozen worker counts as lost when it is silent for a lease, and keeps its job if it continues in time", async () => {
  await using scene = await setUp();
  const { test, launcher, service } = scene;
  const id = await scene.run();
  const script = launcher.at(0);
  const worker = await script.connect(test.engine);
  const job = await worker.nextJob();
  const freeze = async (frozen: unknown) =>
    service.call("POST", `/emulator/workers/${script.order.workerId}/freeze`, { body: { frozen } });
  expect(await freeze(true)).toMatchObject({ status: 200, json: { frozen: true } });
  expect(script.isFrozen).toBe(true);
  expect(await scene.workers()).toMatchObject([{ frozen: true, state: "ready" }]);
  await test.clock.advance(LIMITS.leaseMs - 1_000);
  expect(await freeze(false)).toMatchObject({ json: { frozen: false } });
  expect(script.isFrozen).toBe(false);
  const lease = { jobId: job.jobId, leaseToken: job.leaseToken };
  await worker.report({ renewals: [lease] });
  expect(await scene.statusOf(id)).toBe("IN_PROGRESS");
  await freeze(true);
  await test.clock.advance(LIMITS.leaseMs);
  expect(await scene.statusOf(id)).toBe("IN_QUEUE");
  expect(script.wasKilled).toBe(true);
  expect(await freeze("yes")).toMatchObject({ status: 400, json: { code: "invalid_request" } });
});

it("freezing a worker that cannot be reached is refused with the reason", async () => {
  await using scene = await setUp();
  const { service, launcher } = scene;
  await scene.run();
  const script = launcher.at(0);
  const { workerId } = script.order;
  script.freeze = async () => Promise.reject(new Error("it does not run yet"));
  const body = { frozen: true };
  const failed = await service.call("POST", `/emulator/workers/${workerId}/freeze`, { body });
  expect(failed).toMatchObject({ status: 400, json: { code: "worker_out_of_reach" } });
  expect(failed.text).toContain("it does not run yet");
  Object.assign(script, { freeze: undefined });
  const none = await service.call("POST", `/emulator/workers/${workerId}/freeze`, { body });
  expect(none.text).toContain("the service's own process");

  await service.test.addEndpoint("live");
  const { engine, clock } = service.test;
  engine.fleet.add(
    new WorkerHandle({
      ...{ id: "guest", endpointId: "live", endpointVersion: 1, isExternal: true },
      ...{ startedAt: clock.now(), realClock: clock },
    }),
  );
  const external = await scene.workers("?endpointId=live");
  expect(external).toMatchObject([{ id: "guest", launcher: "external" }]);
  for (const what of ["kill", "freeze"] as const)
    expect(await service.call("POST", `/emulator/workers/guest/${what}`, { body })).toMatchObject({
      status: 400,
      json: { code: "worker_out_of_reach" },
    });
});
