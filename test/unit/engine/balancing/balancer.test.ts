/** Requests to load balancing endpoints and their workers: waits, scaling, drains, affinity. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAffinity } from "../../../../emulator/core/balancing/choose-worker.ts";
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import { health } from "../../../../emulator/engine/resources/endpoints/health.ts";
import type { InFlight } from "../../../../emulator/engine/balancing/in-flight.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedServers } from "./scripted-servers.ts";
import { dropEndpoint, storeEndpoint } from "../../stored-records.ts";

let test: TestEngine;
let servers: ScriptedServers;

async function setUp(settings: Partial<Endpoint> = {}, firstHealth?: number): Promise<void> {
  servers = new ScriptedServers(firstHealth);
  test = await createTestEngine(createMemoryStore(), servers, { healthProbe: servers });
  await test.addEndpoint("web", {
    type: "LOAD_BALANCING",
    scalerType: "REQUEST_COUNT",
    scalerValue: 1,
    workersMax: 2,
    idleTimeout: 5,
    ...settings,
  });
  test.engine.endpointChanged("web");
  await test.clock.settle();
}

beforeEach(() => setUp());
afterEach(() => test.stop());

function ask(wish?: string, signal = new AbortController().signal): Promise<InFlight> {
  const request = test.engine.balancer.assign("web", readAffinity(wish), signal);
  // Its outcome is checked later.
  request.catch(() => undefined);
  return request;
}

/** End of the request, if it has ended. */
async function fate(request: Promise<InFlight>): Promise<unknown> {
  const pending = Promise.resolve({ pending: true });
  const told = request.then(
    (assigned) => ({ workerId: assigned.workerId }),
    (error: unknown) => error,
  );
  await test.clock.settle();
  return Promise.race([told, pending]);
}

function idOf(position: number): string {
  return servers.at(position).order.workerId;
}

describe("a request to a load balancing endpoint", () => {
  it("starts the first worker, and gets it as soon as it is healthy", async () => {
    const request = ask();
    await test.clock.settle();
    expect(servers.launched).toHaveLength(1);
    servers.at(0).health = 204;
    await test.clock.advance(10_000);
    expect(await fate(request)).toEqual({ pending: true });
    expect((await health(test.engine, "web")).workers).toMatchObject({ initializing: 1, ready: 0 });
    servers.at(0).health = 200;
    await test.clock.advance(250);
    expect(await fate(request)).toEqual({ workerId: idOf(0) });
    expect((await health(test.engine, "web")).workers).toMatchObject({ running: 1, idle: 0 });
    (await request)[Symbol.dispose]();
    expect(await health(test.engine, "web")).toEqual({
      jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 1, initializing: 0, ready: 1, running: 0, throttled: 0, unhealthy: 0 },
    });
  });

  it("is refused after two minutes without a healthy worker", async () => {
    const request = ask();
    await test.clock.advance(119_999);
    expect(await fate(request)).toEqual({ pending: true });
    await test.clock.advance(1);
    expect(await fate(request)).toMatchObject({ code: "no_worker_available", status: 400 });
    expect(test.engine.balancer.demand("web")).toEqual({
      waiting: 0,
      running: 0,
      waitingSince: undefined,
    });
  });

  it("is refused with the reason why no server starts", async () => {
    const request = ask();
    await test.clock.settle();
    servers.at(0).exits({ startError: "the image me/web:1 is not on this machine" });
    await test.clock.advance(120_000);
    expect(await fate(request)).toMatchObject({
      message:
        "no worker of the endpoint was healthy within 120 s; a worker could not be started: the image me/web:1 is not on this machine",
    });
  });

  it("stops waiting when its client goes away", async () => {
    const client = new AbortController();
    const request = ask(undefined, client.signal);
    await test.clock.settle();
    client.abort(new Error("gone"));
    expect(await fate(request)).toMatchObject({ message: "gone" });
    expect(test.engine.balancer.demand("web").waiting).toBe(0);
  });

  it("is refused when a thousand others wait", async () => {
    const waiting = Array.from({ length: 1_000 }, () => ask());
    expect(await fate(ask())).toMatchObject({ code: "rate_limited", status: 429 });
    servers.at(0).health = 200;
    await test.clock.advance(250);
    const workers = new Set((await Promise.all(waiting)).map(({ workerId }) => workerId));
    expect(workers.size).toBe(1);
  });

  it("is refused when its endpoint is deleted, and at once by a queue's endpoint", async () => {
    const request = ask();
    await test.clock.settle();
    await dropEndpoint(test.engine, "web");
    test.engine.endpointChanged("web");
    expect(await fate(request)).toMatchObject({ code: "endpoint_not_found" });
    const wrong = test.engine.balancer.assign(
      "echo",
      { mode: "any" },
      new AbortController().signal,
    );
    expect(await fate(wrong)).toMatchObject({ code: "wrong_endpoint_type", status: 400 });
  });

  it("is cut off if it is not answered within 5.5 minutes, but not a conversation", async () => {
    const first = ask();
    await test.clock.settle();
    servers.at(0).health = 200;
    await test.clock.advance(250);
    const request = await first;
    const conversation = await ask();
    conversation.upgraded();
    await test.clock.advance(329_000);
    expect(request.signal.aborted).toBe(false);
    await test.clock.advance(1_000);
    expect(request.signal.reason).toMatchObject({ code: "processing_timeout", status: 504 });
    expect(conversation.signal.aborted).toBe(false);
  });
});

describe("affinity", () => {
  beforeEach(async () => {
    await test.stop();
    await setUp({ workersMin: 2 }, 200);
    await test.clock.advance(250);
  });

  it("leads to the requested worker, otherwise to the least busy one", async () => {
    const [first, second] = [await ask(`strict ${idOf(1)}`), await ask(idOf(1))];
    expect([first.workerId, second.workerId]).toEqual([idOf(1), idOf(1)]);
    expect((await ask()).workerId).toBe(idOf(0));
  });

  it("to an ended worker gives 404 if it is strict, and another worker if it is soft", async () => {
    for (const wish of ["strict x", "strict-resume x"]) {
      expect(await fate(ask(wish))).toMatchObject({ code: "affinity_worker_gone", status: 404 });
    }
    expect((await ask("x")).workerId).toBe(idOf(0));
  });

  it("a resuming request waits 5 minutes for the unhealthy worker, and starts no other", async () => {
    servers.at(1).health = 204;
    await test.clock.advance(5_000);
    const [recovers, hopeless] = [ask(`strict-resume ${idOf(1)}`), ask(`strict-resume ${idOf(1)}`)];
    await test.clock.advance(299_000);
    expect(await fate(recovers)).toEqual({ pending: true });
    expect(test.engine.balancer.demand("web").waiting).toBe(0);
    await test.clock.advance(1_000);
    expect(await fate(hopeless)).toMatchObject({ code: "worker_timeout", status: 400 });
    const again = ask(`strict-resume ${idOf(1)}`);
    servers.at(1).health = 200;
    await test.clock.advance(5_000);
    expect(await fate(again)).toEqual({ workerId: idOf(1) });
  });

  it("a resuming request gets 404 if the worker ends meanwhile", async () => {
    servers.at(1).health = 503;
    await test.clock.advance(5_000);
    const request = ask(`strict-resume ${idOf(1)}`);
    await test.clock.settle();
    servers.at(1).exits({ exitCode: 1 });
    await test.clock.advance(60_000);
    expect(await fate(request)).toMatchObject({ code: "affinity_worker_gone" });
  });
});

describe("the workers of a load balancing endpoint", () => {
  it("increase with the requests in flight, and leave when idle", async () => {
    await test.stop();
    await setUp({}, 200);
    const first = ask();
    await test.clock.advance(250);
    const one = await first;
    expect(servers.launched).toHaveLength(1);
    const two = await ask();
    await test.clock.advance(250);
    expect(servers.launched).toHaveLength(2);
    const three = await ask();
    expect([one.workerId, two.workerId, three.workerId]).toEqual([idOf(0), idOf(0), idOf(1)]);
    // A request keeps a worker busy for longer than the idle time, which does not count as silence.
    for (const request of [two, three]) request[Symbol.dispose]();
    await test.clock.advance(60_000);
    expect(servers.at(1).wasDrained).toBe(true);
    expect(servers.at(0)).toMatchObject({ wasDrained: false, wasKilled: false });
    one[Symbol.dispose]();
    await test.clock.advance(5_000);
    expect(servers.at(0).wasDrained).toBe(true);
  });

  it("finish their requests before they are asked to leave, and get no new ones", async () => {
    await test.stop();
    await setUp({ workersMin: 1 }, 200);
    await test.clock.advance(250);
    const request = await ask();
    const endpoint = test.engine.directory.endpoint("web");
    await storeEndpoint(test.engine, { ...endpoint, version: 2 });
    test.engine.endpointChanged("web");
    await test.clock.advance(250);
    expect(servers.at(0).wasDrained).toBe(false);
    expect((await ask()).workerId).toBe(idOf(1));
    request[Symbol.dispose]();
    expect(servers.at(0)).toMatchObject({ wasDrained: true, wasKilled: false });
    // The worker does not leave.
    await test.clock.advance(5_000);
    expect(servers.at(0).wasKilled).toBe(true);
  });

  it("leave after a bounded time even if a conversation continues", async () => {
    await test.stop();
    await setUp({ workersMin: 1 }, 200);
    await test.clock.advance(250);
    const conversation = await ask();
    conversation.upgraded();
    await dropEndpoint(test.engine, "web");
    test.engine.endpointChanged("web");
    await test.clock.advance(329_000);
    expect(conversation.signal.aborted).toBe(false);
    await test.clock.advance(1_000);
    expect(conversation.signal.aborted).toBe(true);
  });

  it("are ended and counted as unhealthy after 8 minutes without an answer", async () => {
    await test.stop();
    await setUp({ workersMin: 1 });
    await test.clock.advance(479_000);
    expect(servers.at(0).wasKilled).toBe(false);
    await test.clock.advance(1_000);
    expect(servers.at(0).wasKilled).toBe(true);
    expect((await health(test.engine, "web")).workers).toMatchObject({ unhealthy: 1 });
    expect(test.logged.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /should answer 200 at port 0 \(PORT_HEALTH\), path \/ping .* nothing answered/,
      ),
    );
    await test.clock.advance(1_000);
    expect(servers.launched).toHaveLength(2);
  });

  it("leave the rotation after three unanswered health checks, and are ended and replaced a minute later", async () => {
    await test.stop();
    await setUp({ workersMin: 1 }, 200);
    await test.clock.advance(250);
    servers.at(0).health = "hangs";
    await test.clock.advance(24_000);
    expect((await health(test.engine, "web")).workers).toMatchObject({ ready: 1 });
    await test.clock.advance(7_000);
    expect((await health(test.engine, "web")).workers).toMatchObject({ ready: 0, unhealthy: 1 });
    const request = ask();
    await test.clock.advance(60_000);
    expect(servers.at(0).wasKilled).toBe(true);
    expect(await fate(request)).toEqual({ workerId: idOf(1) });
  });
});
