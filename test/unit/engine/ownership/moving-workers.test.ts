/** Workers, hand-overs and requests of endpoints that are released or lost. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { readAffinity } from "../../../../emulator/core/balancing/choose-worker.ts";
import { ScriptedServers } from "../balancing/scripted-servers.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import {
  Gate,
  type Member,
  MOVED,
  refusalOf,
  SharedService,
  stored,
  submitTo,
} from "./shared-service.ts";

let service: SharedService;
let launcher: ScriptedLauncher;
let first: Member;
let second: Member;

beforeEach(async () => {
  service = new SharedService();
  launcher = new ScriptedLauncher();
  first = await service.open([1], launcher);
  second = await service.open();
});
afterEach(() => service[Symbol.asyncDispose]());

/** The first engine has a running job. */
async function running() {
  const { id } = await submitTo(first, "echo-1");
  await service.settle();
  const worker = await launcher.at(0).connect(first.engine);
  return { id, worker, job: await worker.nextJob() };
}

it("the workers of a lost endpoint are killed, and their reports no longer count", async () => {
  const { id, worker, job } = await running();
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  expect(launcher.at(0).wasKilled).toBe(true);
  await expect(worker.complete(job, 1)).rejects.toMatchObject(MOVED);
  await service.settle();
  expect(first.engine.fleet.all()).toEqual([]);
  expect(await stored(service, id)).toMatchObject({ status: "IN_QUEUE", retries: 0 });
  await service.clock.advance(60_000);
  expect(launcher.launched).toHaveLength(1);
  const { logged } = first.test;
  expect(logged.filter(({ level }) => level !== "info")).toEqual([]);
});

it("an endpoint is lost with the first batch that the store refuses for it", async () => {
  const { worker, job } = await running();
  await second.replica.take(1);
  await expect(worker.complete(job, 1)).rejects.toMatchObject(MOVED);
  expect(launcher.at(0).wasKilled).toBe(true);
});

it("an endpoint that is being released hands over no job and waits for running ones; later submissions go to the next owner", async () => {
  const { id, worker, job } = await running();
  await worker.grant();
  const given = first.replica.give(second.replica, "idle", 1);
  const { id: late } = await submitTo(first, "echo-1");
  await service.clock.advance(10_000);
  expect(await stored(service, late)).toMatchObject({ status: "IN_QUEUE" });
  await worker.complete(job, 1);
  await service.settle();
  expect(launcher.at(0).wasKilled).toBe(true);
  await given;
  expect(await stored(service, id)).toMatchObject({ status: "COMPLETED" });
  const next = await second.test.connectWorker("echo-1");
  expect((await next.nextJob()).jobId).toBe(late);
});

it.each([
  { when: "idle", ms: 60_000 },
  { when: "stop", ms: 30_000 },
  { when: "now", ms: 1_000 },
] as const)(
  "a release ($when) stops waiting for a running job after $ms ms, and the job loses no retry",
  async ({ when, ms }) => {
    const { id, worker, job } = await running();
    const given = first.replica.give(second.replica, when, 1);
    // The worker behaves like a busy one.
    for (let waited = 0; waited < ms - 500; waited += 500) {
      await service.clock.advance(500);
      await worker.report({ renewals: [{ jobId: job.jobId, leaseToken: job.leaseToken }] });
    }
    expect(launcher.at(0).wasKilled).toBe(false);
    await service.clock.advance(500);
    await given;
    expect(launcher.at(0).wasKilled).toBe(true);
    expect(await stored(service, id)).toMatchObject({ status: "IN_QUEUE", retries: 0 });
    expect(first.engine.steps.jobsInMemory()).toEqual([]);
    expect(first.engine.fleet.all()).toEqual([]);
  },
);

it("an endpoint's batch in progress is stored before the endpoint is released", async () => {
  const third = await service.open([3]);
  const gate = new Gate();
  third.replica.before = gate.pass;
  const submitted = submitTo(third, "echo-3");
  await service.settle();
  // This batch gathers while the endpoint is released.
  const late = submitTo(third, "echo-3");
  const refused = refusalOf(late);
  const given = third.replica.give(second.replica, "now", 3);
  await service.settle();
  expect(await refused).toMatchObject(MOVED);
  expect(service.shared.owners.get(3)).toBe(third.replica);
  gate.open();
  await given;
  await submitted;
  expect(second.engine.steps.countsNow("echo-3").inQueue).toBe(1);
});

it("an endpoint that is lost during its release and gained again is not released", async () => {
  await running();
  const left = first.replica.owner?.leave(new Set([1]), "idle");
  first.replica.owner?.lost(new Set([1]));
  await first.replica.take(1);
  await service.clock.advance(60_000);
  await left;
  expect(first.engine.ownership.owns("echo-1")).toBe(true);
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(1);
});

it("a hand-over is not sent after a standstill of the replica, when another one may own the endpoint", async () => {
  const worker = await first.test.connectWorker("echo-1");
  const gate = new Gate();
  first.replica.after = gate.pass;
  const submitted = submitTo(first, "echo-1");
  await service.settle();
  first.replica.isUnsure = true;
  gate.open();
  await submitted;
  await service.settle();
  expect(worker.orders.flatMap(({ jobs = [] }) => jobs)).toEqual([]);
});

it("the scaler starts workers at the endpoint's new owner only", async () => {
  const here = new ScriptedLauncher();
  const third = await service.open([], here);
  await submitTo(first, "echo-1");
  await service.settle();
  expect([launcher.launched.length, here.launched.length]).toEqual([1, 0]);
  await third.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  await service.settle();
  expect([launcher.launched.length, here.launched.length]).toEqual([1, 1]);
});

/** A replica with a load balancing endpoint of partition 3 and a healthy worker. */
async function balancing() {
  const servers = new ScriptedServers(200);
  const third = await service.open([3], servers, { healthProbe: servers });
  await third.test.addEndpoint("web-3", { type: "LOAD_BALANCING", workersMax: 1 });
  third.engine.endpointChanged("web-3");
  const { signal } = new AbortController();
  const ask = () => third.engine.balancer.assign("web-3", readAffinity(undefined), signal);
  const answering = ask();
  await service.clock.advance(1_000);
  return { servers, third, ask, request: await answering };
}

it("requests that wait for a worker of a released endpoint are refused at once, to be forwarded", async () => {
  const { servers, third, ask, request } = await balancing();
  const given = third.replica.give(second.replica, "now", 3);
  const waiting = ask();
  const refused = refusalOf(waiting);
  await service.settle();
  expect(servers.at(0).wasKilled).toBe(false);
  request[Symbol.dispose]();
  await service.settle();
  await given;
  expect(await refused).toMatchObject(MOVED);
  await expect(ask()).rejects.toMatchObject(MOVED);
});

it.each(["idle", "stop"] as const)(
  "earlier requests are answered while the release of an endpoint (%s) waits for jobs of its partition, and later ones wait for the next owner",
  async (when) => {
    const { servers, third, ask, request } = await balancing();
    const worker = await third.test.connectWorker("echo-3");
    await submitTo(third, "echo-3");
    const job = await worker.nextJob();
    const given = third.replica.give(second.replica, when, 3);
    await service.clock.advance(10_000);
    (await ask())[Symbol.dispose]();
    await worker.complete(job, 1);
    await service.clock.advance(10_000);
    const last = await ask();
    request[Symbol.dispose]();
    await service.settle();
    const refused = refusalOf(ask());
    await service.clock.advance(4_000);
    expect(servers.at(0).wasKilled).toBe(false);
    last[Symbol.dispose]();
    await given;
    expect(await refused).toMatchObject(MOVED);
    expect(service.shared.owners.get(3)).toBe(second.replica);
  },
);

it("endless requests are cut off after the time of jobs, and new requests are held only in the last 5 s before", async () => {
  const { servers, third, ask, request } = await balancing();
  const given = third.replica.give(second.replica, "stop", 3);
  await service.clock.advance(24_500);
  (await ask())[Symbol.dispose]();
  await service.clock.advance(1_000);
  const refused = refusalOf(ask());
  await service.clock.advance(4_000);
  expect(servers.at(0).wasKilled).toBe(false);
  await service.clock.advance(500);
  await given;
  expect(servers.at(0).wasKilled).toBe(true);
  expect(await refused).toMatchObject(MOVED);
  request[Symbol.dispose]();
});

it("a worker is started for a request to an endpoint with a partition that waits for a running job", async () => {
  const servers = new ScriptedServers(200);
  const third = await service.open([3], servers, { healthProbe: servers });
  await third.test.addEndpoint("web-3", { type: "LOAD_BALANCING", workersMax: 1 });
  const worker = await third.test.connectWorker("echo-3");
  await submitTo(third, "echo-3");
  const job = await worker.nextJob();
  const given = third.replica.give(second.replica, "stop", 3);
  const { signal } = new AbortController();
  const asked = third.engine.balancer.assign("web-3", readAffinity(undefined), signal);
  await service.clock.advance(1_000);
  const request = await asked;
  expect(request.workerId).toBe(servers.at(0).order.workerId);
  request[Symbol.dispose]();
  await worker.complete(job, 1);
  await given;
});
