/** An engine's work besides jobs when endpoints arrive, move away or are lost: webhook calls, bills, pods, time. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readPodInput } from "../../../../emulator/core/pods/pod-input.ts";
import { createPod } from "../../../../emulator/engine/pods/manage-pods.ts";
import { redeliver } from "../../../../emulator/engine/webhooks/change-deliveries.ts";
import {
  createNetworkVolume,
  deleteNetworkVolume,
  updateNetworkVolume,
} from "../../../../emulator/engine/resources/manage-network-volumes.ts";
import { advanceClock } from "../../../../emulator/engine/time/advance-clock.ts";
import { ScriptedPods } from "../pods/scripted-pods.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import { ScriptedSender } from "../../scripted-sender.ts";
import {
  type Member,
  MOVED,
  requestOf,
  SharedService,
  stored,
  submitTo,
} from "./shared-service.ts";

let service: SharedService;
const { signal } = new AbortController();

beforeEach(() => {
  service = new SharedService();
});
afterEach(() => service[Symbol.asyncDispose]());

/** A job of `echo-1` with a webhook ends. */
async function endOne(member: Member): Promise<void> {
  const { submission } = requestOf("echo-1");
  const webhook = "http://receiver.test/";
  await submitTo(member, "echo-1", { submission: { ...submission, webhook } });
  const worker = await member.test.connectWorker("echo-1");
  await worker.complete(await worker.nextJob(), 1);
  await service.settle();
}

it("when an endpoint is lost, its webhook call is aborted, and the next owner makes it under the same id", async () => {
  const unanswered = new ScriptedSender(() => new Promise(() => undefined));
  const first = await service.open([1], undefined, { webhookSender: unanswered });
  const answered = new ScriptedSender();
  const second = await service.open([], undefined, { webhookSender: answered });
  await endOne(first);
  expect(unanswered.open).toBe(1);
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  await service.settle();
  expect(unanswered.open).toBe(0);
  expect(answered.calls.map(({ id }) => id)).toEqual(unanswered.calls.map(({ id }) => id));
  await service.clock.advance(60_000);
  expect(unanswered.calls).toHaveLength(1);
  const [delivery] = await service.shared.store.deliveries.list({}, 10);
  expect(delivery).toMatchObject({ state: "delivered", tries: [{ status: 200 }] });
  await expect(redeliver(first.engine, delivery?.id ?? "")).rejects.toMatchObject(MOVED);
});

it("an owner that has lost the endpoint does not record the result of a webhook call, and logs no error", async () => {
  const answer = Promise.withResolvers<number>();
  const sender = new ScriptedSender(() => answer.promise);
  const first = await service.open([1], undefined, { webhookSender: sender });
  const second = await service.open();
  await endOne(first);
  await second.replica.take(1);
  answer.resolve(200);
  await service.settle();
  await service.clock.advance(5_000);
  const { logged } = first.test;
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
  const [delivery] = await service.shared.store.deliveries.list({}, 10);
  expect(delivery?.tries).toHaveLength(1);
});

it("an endpoint is released after its webhook calls in progress", async () => {
  const answer = Promise.withResolvers<number>();
  const sender = new ScriptedSender(() => answer.promise);
  const first = await service.open([1], undefined, { webhookSender: sender });
  const second = await service.open();
  await endOne(first);
  const given = first.replica.give(second.replica, "idle", 1);
  await service.clock.advance(5_000);
  expect(sender.open).toBe(1);
  answer.resolve(200);
  await given;
  const [delivery] = await service.shared.store.deliveries.list({}, 10);
  expect(delivery).toMatchObject({ state: "delivered" });
});

it("webhook calls that become due while a release waits for a running job are made at once", async () => {
  const sender = new ScriptedSender();
  const first = await service.open([1], undefined, { webhookSender: sender });
  const second = await service.open();
  const worker = await first.test.connectWorker("echo-1", { credit: 2 });
  const submission = { ...requestOf("echo-1").submission, webhook: "http://receiver.test/" };
  for (let nth = 0; nth < 2; nth += 1) await submitTo(first, "echo-1", { submission });
  const [one, other] = [await worker.nextJob(), await worker.nextJob()];
  const given = first.replica.give(second.replica, "stop", 1);
  await worker.complete(one, 1);
  await service.clock.advance(1_000);
  expect(sender.calls).toHaveLength(1);
  await worker.complete(other, 1);
  await given;
});

it("a worker is billed until it was last seen if its endpoint is lost, and until its end if its endpoint is released", async () => {
  const launcher = new ScriptedLauncher();
  const first = await service.open([1, 2], launcher);
  const second = await service.open();
  const startedAt = service.clock.now();
  for (const [at, partition] of [1, 2].entries()) {
    await submitTo(first, `echo-${partition}`);
    await service.settle();
    await launcher.at(at).connect(first.engine, 0);
  }
  await service.clock.advance(5_000);
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  first.replica.before = () => turn();
  await first.replica.give(second.replica, "now", 2);
  await service.settle();
  const bills = await second.engine.usage.usages();
  expect(bills.map((usage) => usage.endedAt)).toEqual([startedAt, startedAt + 5_000]);
});

it("the owner of the service bills network volumes, whichever replica creates, changes or deletes them", async () => {
  const first = await service.open([0]);
  const second = await service.open();
  const bills = async () =>
    (await second.engine.usage.usages()).map(({ diskInGb, startedAt, endedAt }) => ({
      diskInGb,
      ms: endedAt === undefined ? undefined : endedAt - startedAt,
    }));
  const order = { name: "models", size: 20, dataCenterId: "EU-RO-1" };
  const { id } = await createNetworkVolume(second.engine, order);
  await first.engine.steps.refreshRecords();
  await service.clock.advance(1_000);
  expect(await bills()).toEqual([{ diskInGb: 20, ms: undefined }]);
  await updateNetworkVolume(second.engine, id, { name: undefined, size: 30 });
  await first.engine.steps.refreshRecords();
  await service.clock.advance(1_000);
  await first.replica.give(second.replica, "now", 0);
  await service.settle();
  expect(await bills()).toEqual([
    { diskInGb: 20, ms: 1_000 },
    { diskInGb: 30, ms: undefined },
  ]);
  await deleteNetworkVolume(first.engine, id);
  await second.engine.steps.refreshRecords();
  await service.settle();
  expect((await bills())[1]).toEqual({ diskInGb: 30, ms: 1_000 });
});

it("pods run at the owner of the service; a release drains them, a loss kills them", async () => {
  const [here, there] = [new ScriptedPods(), new ScriptedPods()];
  const first = await service.open([0], undefined, { podLauncher: here });
  const second = await service.open([1], undefined, { podLauncher: there });
  const body = readPodInput({ imageName: "me/box:1", computeType: "CPU" });
  const { id } = await createPod(second.engine, body);
  await first.engine.steps.refreshRecords();
  await service.settle();
  expect([here.launched.length, there.launched.length]).toEqual([1, 0]);
  const given = first.replica.give(second.replica, "idle", 0);
  await service.settle();
  expect(here.launched[0]?.wasDrained).toBe(true);
  here.launched[0]?.exit();
  await given;
  await service.settle();
  expect(there.launched.map(({ order }) => order.pod.id)).toEqual([id]);
  second.replica.owner?.lost(new Set([0]));
  expect(there.launched[0]?.wasKilled).toBe(true);
  await first.replica.take(0);
  await service.settle();
  expect(here.launched).toHaveLength(2);
});

it("the clock cannot be advanced if several engines share a store", async () => {
  const { engine } = await service.open();
  const reason = expect.stringContaining("several emulators share the store");
  const refusal = { code: "invalid_request", message: reason };
  await expect(advanceClock(engine, 1_000, signal)).rejects.toMatchObject(refusal);
});

it("a stopping engine gives a running job 30 s, accepts jobs of its endpoint meanwhile, and releases idle partitions at once", async () => {
  const first = await service.open([1, 2]);
  const second = await service.open();
  const worker = await first.test.connectWorker("echo-1", { credit: 2 });
  const { id } = await submitTo(first, "echo-1");
  const job = await worker.nextJob();
  const stopped = first.test.stop("drain");
  await service.settle();
  expect([...service.shared.owners.keys()]).toEqual([1]);
  await second.replica.take(2);
  for (let waitedMs = 0; waitedMs < 29_000; waitedMs += 500) {
    await service.clock.advance(500);
    await worker.report({ renewals: [{ jobId: job.jobId, leaseToken: job.leaseToken }] });
  }
  const { id: late } = await submitTo(first, "echo-1");
  await service.settle();
  expect(await stored(service, late)).toMatchObject({ status: "IN_QUEUE" });
  await worker.complete(job, 1);
  await stopped;
  expect(await stored(service, id)).toMatchObject({ status: "COMPLETED" });
  await second.replica.take(1);
  expect(second.engine.steps.countsNow("echo-1")).toMatchObject({ completed: 1, inQueue: 1 });
  const told = first.test.logged.filter(({ message }) =>
    message.includes("no longer owns these partitions"),
  );
  expect(told).toHaveLength(1);
});

it("an engine takes partitions when it starts, and releases them before anything else when it stops", async () => {
  const first = await service.open([1]);
  const second = await service.open();
  const worker = await first.test.connectWorker("echo-1");
  const { id } = await submitTo(first, "echo-1");
  const job = await worker.nextJob();
  const stopped = first.test.stop("drain");
  await service.clock.advance(500);
  await worker.complete(job, 1);
  await stopped;
  expect(first.replica.hasEnded).toBe(true);
  expect(await stored(service, id)).toMatchObject({ status: "COMPLETED" });
  await second.replica.take(1);
  expect(second.engine.steps.countsNow("echo-1").completed).toBe(1);
});
