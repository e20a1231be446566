/** Events of the service's changes of state, over HTTP. */
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { storeThatFills } from "../../../engine/filling-store.ts";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { ScriptedSender } from "../../../scripted-sender.ts";
import { completeHooked, deliveriesOf } from "../../../webhooks/hooked-jobs.ts";
import { KEY, made, startTestHttp } from "../../http-harness.ts";
import { TextReader } from "../../operation/answers/text-reader.ts";
import { follow, type Frame } from "./follow-events.ts";

it("the events report the whole life of a job, with times in service time", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test.engine;
  const worker = await service.test.connectWorker();
  const events = await follow(service);
  expect(events.headers["content-type"]).toBe("text/event-stream");
  const jobId = await service.run();
  const move = (from: string | null, to: string | null, by: string) => ({
    type: "job",
    endpointId: "echo",
    jobId,
    from,
    to,
    by,
  });
  expect(await events.take(2)).toEqual([
    move(null, "IN_QUEUE", "submit"),
    move("IN_QUEUE", "IN_PROGRESS", "hand-over"),
  ]);
  await worker.fail(await worker.nextJob());
  expect(await events.take(2)).toEqual([
    move("IN_PROGRESS", "FAILED", "fail"),
    {
      ...{ type: "attempt", endpointId: "echo", jobId, number: 1, outcome: "failed" },
      failure: { type: "handler_error", message: "it failed" },
    },
  ]);
  const endedAt = clock.now();
  await service.call("POST", "/emulator/clock", { body: { advance: "31m" } });
  const expired = await events.next();
  expect(expired).toMatchObject({ data: { from: "FAILED", to: null, by: "expire" } });
  expect(expired.data["at"]).toBe(new Date(endedAt + 1_800_000).toISOString());
  expect(await events.take(1)).toEqual([{ type: "clock", offsetMs: 1_860_000 }]);
});

it("the events report workers and endpoints, and with endpointId only those of one endpoint", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  await service.test.addEndpoint("other");
  const all = await follow(service);
  const other = await follow(service, "?endpointId=other");
  const jobId = await service.run();
  await service.test.clock.settle();
  const { workerId } = launcher.at(0).order;
  const worker = (state: string) => ({ type: "worker", endpointId: "echo", workerId, state });
  await launcher.at(0).connect(service.test.engine);
  expect(await all.take(5)).toMatchObject([
    { jobId, to: "IN_QUEUE" },
    worker("initializing"),
    { type: "scale", start: 1, drain: [], reason: "a job waits, and there is no worker" },
    worker("ready"),
    { jobId, to: "IN_PROGRESS" },
  ]);
  await service.call("DELETE", "/v1/endpoints/echo");
  expect(await all.take(5)).toMatchObject([
    { jobId, to: "CANCELLED", by: "cancel" },
    { type: "attempt", jobId, outcome: "cancelled" },
    { jobId, from: "CANCELLED", to: null },
    worker("draining"),
    { type: "endpoint", endpointId: "echo", change: "deleted" },
  ]);
  launcher.at(0).leave();
  expect(await all.take(1)).toEqual([worker("ended")]);
  const otherJob = await service.run("other");
  expect((await other.next()).data).toMatchObject({ jobId: otherJob, endpointId: "other" });
});

it("the events report a new endpoint", async () => {
  await using service = await startTestHttp();
  const events = await follow(service);
  const template = { name: "t", imageName: "i", isServerless: true };
  const templateId = await made(service, "/v1/templates", template);
  const created = await service.call("POST", "/v1/endpoints", { body: { templateId } });
  const { id } = created.json as { id: string };
  expect(await events.take(1)).toEqual([{ type: "endpoint", endpointId: id, change: "created" }]);
});

it("a change that could not be stored sends no event", async () => {
  const { store, fill } = storeThatFills();
  await using service = await startTestHttp({ store });
  const events = await follow(service);
  fill(true);
  expect((await service.call("POST", "/v2/echo/run", { body: { input: {} } })).status).toBe(507);
  fill(false);
  const jobId = await service.run();
  expect(await events.take(1)).toMatchObject([{ jobId, to: "IN_QUEUE" }]);
});

it("the feed sends a keep-alive every 15 s of real time, and ends silently when the service stops", async () => {
  await using service = await startTestHttp();
  const armed = service.test.clock.armed;
  const events = await follow(service);
  while (service.test.clock.armed === armed) await service.test.clock.settle();
  await service.test.clock.advance(15_000);
  expect(await events.reader.until("\n\n")).toBe(": nothing happened\n\n");
  await service.http.stop();
  expect(await events.reader.rest()).toBe("");
});

it("a reader that does not keep up is dropped, and told so", async () => {
  await using service = await startTestHttp();
  const reader = await service.socket(
    `GET /emulator/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${KEY}\r\n\r\n`,
  );
  reader.pause();
  const { events } = service.test.engine;
  while (!events.isFollowed) await service.test.clock.settle();
  const change = { type: "endpoint", endpointId: "e".repeat(1_000), change: "changed" } as const;
  for (let told = 0; events.isFollowed; told += 1) {
    expect(told).toBeLessThan(100_000);
    events.publish(change);
    if (told % 1_000 === 0) await setImmediate();
  }
  const text = await new TextReader(reader).rest();
  expect(text).toMatch(/event: dropped\ndata: \{"error":"some events are lost[^\n]*\n\n/);
  expect((await service.call("GET", "/v2/echo/health")).status).toBe(200);
});

it("an invalid endpointId is refused", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/emulator/events?endpointId=a&endpointId=b");
  expect(json).toMatchObject({ code: "invalid_request" });
});

it("the events report a webhook's delivery at its creation, after each try, and before it is sent again", async () => {
  const webhookSender = ScriptedSender.answering(500, 200);
  const engine = await createTestEngine(undefined, undefined, { webhookSender });
  await using service = await startTestHttp({ engine });
  const events = await follow(service);
  const worker = await engine.connectWorker();
  await completeHooked(engine, worker);
  await engine.clock.advance(10_000);
  const [delivery] = await deliveriesOf(engine);
  const { id: deliveryId = "", jobId } = delivery ?? {};
  await service.call("POST", `/emulator/webhooks/${deliveryId}/redeliver`);
  const told: Frame[] = [];
  while (told.length < 4) {
    const event = await events.next();
    if (event.type === "webhook") told.push(event);
  }
  const { at: _, ...first } = told[0]?.data ?? {};
  expect(first).toEqual({ endpointId: "echo", jobId, deliveryId, state: "pending" });
  const states = told.map(({ data }) => data["state"]);
  expect(states).toEqual(["pending", "pending", "delivered", "pending"]);
});
