/** The emulator's clock over HTTP: an advance is answered after its effects, and other clocks do not move. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { startTestHttp, type TestHttp, USER_KEY } from "../../http-harness.ts";

const { leaseMs, executionGraceMs } = LIMITS;

const advance = async (service: TestHttp, by: unknown) =>
  service.call("POST", "/emulator/clock", { body: { advance: by } });

const status = async (service: TestHttp, id: string) =>
  service.call("GET", `/v2/echo/status/${id}`);

describe("/emulator/clock", () => {
  it("shows no event that comes after the last date there is", async () => {
    const launcher = new ScriptedLauncher();
    await using service = await startTestHttp({ launcher });
    const settings = { scalerValue: Number.MAX_SAFE_INTEGER, workersMin: 1, workersMax: 2 };
    await service.test.addEndpoint("echo", settings);
    await service.run();
    await service.run();
    const answer = await service.call("GET", "/emulator/clock");
    expect(answer.status).toBe(200);
    const { due } = answer.json as { readonly due: readonly { readonly kind: string }[] };
    expect(due.map(({ kind }) => kind)).not.toContain("queue-delay");
  });

  it("shows service time, the total advance, and the time of the next due event", async () => {
    await using service = await startTestHttp();
    const read = async () => {
      const { json } = await service.call("GET", "/emulator/clock");
      const { due: _, ...reading } = json as { readonly due: unknown };
      return reading;
    };
    const now = service.test.clock.now();
    await service.test.clock.advance(0);
    const shown = (offsetMs: number, nextDueAt: string | null) => ({
      now: new Date(now + offsetMs).toISOString(),
      nowMs: now + offsetMs,
      offsetMs,
      nextDueAt,
    });
    expect(await read()).toStrictEqual(shown(0, null));
    // The low priority keeps a worker from becoming due for the job.
    await service.run("echo", { policy: { ttl: 60_000, lowPriority: true } });
    expect(await read()).toStrictEqual(shown(0, new Date(now + 60_000).toISOString()));
    const { json } = await advance(service, "59s");
    const later = shown(59_000, new Date(now + 60_000).toISOString());
    expect(json).toStrictEqual({ ...later, settled: true, underWay: [] });
    await advance(service, 1_000);
    expect(await read()).toStrictEqual(shown(60_000, null));
  });

  it("lists the next events with their reasons, the earliest first", async () => {
    await using service = await startTestHttp({ launcher: new ScriptedLauncher() });
    const due = async () => {
      const { json } = await service.call("GET", "/emulator/clock");
      return (json as { due: readonly { at: string; kind: string; what: string }[] }).due;
    };
    const { clock } = service.test;
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    expect(await due()).toEqual([]);
    const waiting = await service.run("echo", { policy: { ttl: 60_000 } });
    await clock.settle();
    const scaled = "endpoint echo: the oldest job has waited for scalerValue, so one more worker";
    expect(await due()).toEqual([
      { at: at(4_000), kind: "scale", endpointId: "echo", what: `${scaled} is started` },
      {
        ...{ at: at(60_000), kind: "deletion", endpointId: "echo", id: waiting },
        what: `the job ${waiting} is deleted: its time to live ends, and it is IN_QUEUE`,
      },
    ]);
    const worker = await service.test.connectWorker();
    const job = await worker.nextJob();
    expect((await due()).map(({ kind }) => kind)).toEqual(["leases", "deletion"]);
    await worker.complete(job);
    expect((await due()).map(({ what }) => what)).toEqual([
      `the job ${waiting} is deleted: its time to live ends, and it is COMPLETED`,
      "endpoint echo: a worker has been idle for idleTimeout and leaves",
    ]);
  });

  it("needs the admin's key", async () => {
    await using service = await startTestHttp();
    const headers = { authorization: USER_KEY };
    for (const path of ["/emulator/clock", "/emulator/events"])
      expect((await service.call("GET", path, { headers })).status).toBe(403);
    const body = { advance: "1d" };
    const { json } = await service.call("POST", "/emulator/clock", { headers, body });
    expect(json).toMatchObject({ code: "insufficient_scope" });
    expect(service.test.engine.clock.offsetMs).toBe(0);
  });

  it("is at no other path", async () => {
    await using service = await startTestHttp();
    for (const path of ["/v1/emulator/clock", "/v2/emulator/clock", "/clock"])
      expect((await service.call("GET", path)).status).toBe(404);
    const { status: code, headers } = await service.call("DELETE", "/emulator/clock");
    expect([code, headers["allow"]]).toEqual([405, "GET, POST"]);
  });

  it("refuses an invalid advance, and moves nothing", async () => {
    await using service = await startTestHttp();
    for (const by of ["soon", -1, "367d", undefined, 0.5])
      expect((await advance(service, by)).json).toMatchObject({ code: "invalid_request" });
    const { json } = await service.call("POST", "/emulator/clock", { body: "31m" });
    expect(json).toMatchObject({ code: "invalid_json" });
    expect(service.test.engine.clock.offsetMs).toBe(0);
  });

  it("refuses a total advance of more than a hundred years", async () => {
    await using service = await startTestHttp();
    for (let year = 1; year <= 99; year += 1) await advance(service, "366d");
    const { json } = await advance(service, "366d");
    expect(json).toMatchObject({ code: "invalid_request", error: /ahead of real time; at most/ });
    expect(service.test.engine.clock.offsetMs).toBe(99 * 366 * 86_400_000);
  });

  it("runs two concurrent advances one after the other", async () => {
    await using service = await startTestHttp();
    const now = service.test.engine.clock.now();
    const at: number[] = [];
    service.test.engine.clock.wakeAt(now + 60_000, () => {
      at.push(service.test.engine.clock.now() - now);
    });
    const answers = await Promise.all([advance(service, "1m"), advance(service, "2m")]);
    const offsets = answers.map(({ json }) => (json as { offsetMs: number }).offsetMs);
    expect(offsets.toSorted((a, b) => a - b).at(-1)).toBe(180_000);
    expect(new Set(offsets).size).toBe(2);
    expect(at).toEqual([60_000]);
  });
});

describe("an advance", () => {
  it("ends a wait", async () => {
    await using service = await startTestHttp();
    const answered = service.call("POST", "/v2/echo/runsync?wait=60000", { body: { input: {} } });
    const waits = () => service.test.engine.clock.noted.some(({ due }) => due.type === "answer");
    while (!waits()) await service.test.clock.settle();
    await advance(service, "1m");
    expect((await answered).json).toMatchObject({ status: "IN_QUEUE" });
  });
});

describe("during an advance a running job", () => {
  it("does not notice 31 minutes, and keeps its deadline in real time", async () => {
    await using service = await startTestHttp();
    const { clock } = service.test;
    const worker = await service.test.connectWorker("echo", { credit: 2 });
    const good = await service.run("echo", { policy: { executionTimeout: 5_000 } });
    const job = await worker.nextJob();
    const late = await service.run("echo", { policy: { executionTimeout: 5_000 } });
    await worker.nextJob();
    await clock.advance(2_000);
    expect((await advance(service, "31m")).json).toMatchObject({ settled: true });
    await clock.advance(1_000);
    await worker.complete(job, "done");
    expect((await status(service, good)).json).toMatchObject({
      status: "COMPLETED",
      executionTime: 3_000,
      delayTime: 0,
    });
    await clock.advance(2_000 + executionGraceMs - 1);
    expect((await status(service, late)).json).toMatchObject({ status: "IN_PROGRESS" });
    await clock.advance(1);
    expect((await status(service, late)).json).toMatchObject({
      status: "TIMED_OUT",
      executionTime: 5_000 + executionGraceMs,
    });
  });

  it("keeps its lease, which ends in real time unless it is renewed", async () => {
    await using service = await startTestHttp();
    const { clock } = service.test;
    const worker = await service.test.connectWorker();
    const id = await service.run();
    const { jobId, leaseToken } = await worker.nextJob();
    await clock.advance(leaseMs - 1);
    await advance(service, "31m");
    await worker.report({ renewals: [{ jobId, leaseToken }] });
    await advance(service, "31m");
    await clock.advance(leaseMs - 1);
    expect((await status(service, id)).json).toMatchObject({ status: "IN_PROGRESS" });
    await clock.advance(1);
    expect((await status(service, id)).json).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    expect(service.test.logged.filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("is deleted and its handler stopped at the end of its time to live", async () => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const id = await service.run("echo", { policy: { ttl: 10_000 } });
    const { leaseToken } = await worker.nextJob();
    await advance(service, "10s");
    expect((await status(service, id)).status).toBe(404);
    const revocations = worker.orders.flatMap((orders) => orders.revocations ?? []);
    expect(revocations).toEqual([{ jobId: id, leaseToken, reason: "expired" }]);
  });
});

it("an idle worker has left when the advance is answered", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  await service.test.addEndpoint("echo", { workersMax: 1, idleTimeout: 5 });
  const id = await service.run();
  await service.test.clock.settle();
  const worker = await launcher.at(0).connect(service.test.engine);
  await worker.complete(await worker.nextJob());
  await advance(service, "4s");
  expect(launcher.at(0).wasDrained).toBe(false);
  let isAnswered = false;
  const answered = advance(service, "31m").finally(() => (isAnswered = true));
  while (!launcher.at(0).wasDrained) await service.test.clock.settle();
  // Time does not run until the request is over: the job still exists.
  expect((await status(service, id)).status).toBe(200);
  expect(isAnswered).toBe(false);
  launcher.at(0).leave();
  expect((await answered).json).toMatchObject({ settled: true, offsetMs: 1_864_000 });
  expect((await status(service, id)).status).toBe(404);
  const { json } = await service.call("GET", "/v2/echo/health");
  expect(json).toMatchObject({ workers: { idle: 0, running: 0 } });
});

it("an advance waits at most 30 s of real time for a worker that does not leave", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  await service.test.addEndpoint("echo", { workersMax: 1, idleTimeout: 5 });
  const id = await service.run();
  await service.test.clock.settle();
  const worker = await launcher.at(0).connect(service.test.engine);
  await worker.complete(await worker.nextJob());
  const answered = advance(service, "31m");
  while (!launcher.at(0).wasDrained) await service.test.clock.settle();
  // The worker sends a sign of life, or it would count as lost.
  for (let second = 5; second <= 30; second += 5) {
    await worker.report({});
    await service.test.clock.advance(5_000);
  }
  while ((await status(service, id)).status === 200) await service.test.clock.settle();
  await service.test.clock.advance(1_000);
  const { json } = await answered;
  const { workerId } = launcher.at(0).order;
  expect(json).toMatchObject({ settled: false, underWay: [`worker ${workerId} is leaving`] });
  expect(json).toMatchObject({ offsetMs: 1_860_000 });
});

it("a worker's silence is measured in real time, however large the advance", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  await service.test.addEndpoint("echo", { workersMin: 1, idleTimeout: 3_600 });
  service.test.engine.endpointChanged("echo");
  await service.test.clock.settle();
  const worker = await launcher.at(0).connect(service.test.engine);
  await advance(service, "31m");
  expect(launcher.at(0).wasKilled).toBe(false);
  await worker.report({});
  await service.test.clock.advance(leaseMs - 1);
  expect(launcher.at(0).wasKilled).toBe(false);
  await service.test.clock.advance(1);
  expect(launcher.at(0).wasKilled).toBe(true);
});
