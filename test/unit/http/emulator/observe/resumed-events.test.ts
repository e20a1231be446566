/** Readers of events after a broken connection, and readers of joined events. */
import { expect, it } from "vitest";
import { EventFeed } from "../../../../../emulator/engine/observe/event-feed.ts";
import { FakeClock } from "../../../../fake-clock.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { follow, type Frame } from "./follow-events.ts";

const change = { type: "endpoint", endpointId: "echo", change: "changed" } as const;

function publish(service: TestHttp, count: number): void {
  for (let told = 0; told < count; told += 1) service.test.engine.events.publish(change);
}

it("a reader continues after Last-Event-ID with all missed events, once and in order, then with new ones", async () => {
  await using service = await startTestHttp();
  const before = await follow(service);
  const ids = [await service.run()];
  const seen = await before.next();
  before.leave();
  ids.push(await service.run(), await service.run());
  const after = await follow(service, "", seen.id);
  ids.push(await service.run());
  expect(await after.take(4)).toMatchObject([
    { type: "scale", endpointId: "echo" },
    ...ids.slice(1).map((jobId) => ({ type: "job", jobId, to: "IN_QUEUE" })),
  ]);
});

it("a reader that cannot send headers continues with ?after=, from its last known position", async () => {
  await using service = await startTestHttp();
  const { id, leave } = await follow(service);
  leave();
  const missed = await service.run();
  const after = await follow(service, `?after=${id}`);
  expect(await after.take(1)).toMatchObject([{ type: "job", jobId: missed, to: "IN_QUEUE" }]);
  const newer = await follow(service, `?after=${id}`, (await follow(service)).id);
  const latest = await service.run();
  expect(await newer.take(1)).toMatchObject([{ jobId: latest }]);
});

it("missed events also leave out other endpoints", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const { id } = await follow(service);
  await service.run("other");
  const own = await service.run();
  const after = await follow(service, "?endpointId=echo", id);
  expect(await after.take(1)).toMatchObject([{ jobId: own }]);
});

it("a reader gets `reset` first if it missed more events than are kept, and continues from there", async () => {
  await using service = await startTestHttp();
  const { id } = await follow(service);
  publish(service, 10_000);
  const all = await follow(service, "", id);
  for (let nth = 0; nth < 10_000; nth += 1) expect((await all.next()).type).toBe("endpoint");
  publish(service, 1);
  const late = await follow(service, "", id);
  const reset = await late.next();
  expect(reset).toMatchObject({ type: "reset", data: { reason: /no longer kept/ } });
  const jobId = await service.run();
  expect(await late.take(1)).toMatchObject([{ jobId }]);
  const again = await follow(service, "", reset.id);
  expect(await again.take(1)).toMatchObject([{ jobId }]);
});

it.each(["nonsense", "zzzzzzzz-0", "0", "-", "e1-1e9"])(
  "a reader at the event %j of another run gets `reset`",
  async (id) => {
    await using service = await startTestHttp();
    await service.run();
    const { data, type } = await (await follow(service, "", id)).next();
    expect(type).toBe("reset");
    expect(data["reason"]).toMatch(/from another run/);
  },
);

it("event ids are unique within a run, and ids of another run are recognized", () => {
  const feedOf = (id: string) =>
    new EventFeed(new FakeClock(), { shortId: () => id }, () => undefined);
  const [feed, other] = [feedOf("one00000"), feedOf("two00000")];
  for (const each of [feed, other]) for (const _ of [1, 2]) each.publish(change);
  const ids = [feed, other].flatMap((each) => [0, 1, 2].map((serial) => each.idOf(serial)));
  expect(new Set(ids).size).toBe(6);
  expect(feed.since(feed.idOf(1))).toMatchObject({ events: [{ ...change, serial: 2 }] });
  expect(feed.since(other.idOf(1))).toHaveProperty("gone");
});

it.each([1, 2, 3])(
  "every reader gets its missed events, once and in order, or is told of the loss, with %i kept",
  (kept) => {
    const random = { shortId: () => "run00000" };
    const feed = new EventFeed(new FakeClock(), random, () => undefined, kept);
    for (let newest = 0; newest <= 3 * kept + 1; newest += 1) {
      for (let known = 0; known <= newest; known += 1) {
        const missed = Array.from({ length: newest - known }, (_, at) => known + 1 + at);
        const told = feed.since(feed.idOf(known));
        const serials = "gone" in told ? "gone" : told.events.map(({ serial }) => serial);
        expect(serials, `${known} of ${newest}`).toEqual(missed.length > kept ? "gone" : missed);
      }
      feed.publish(change);
    }
  },
);

it("joined events are sent at once at first, then ten times a second", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  const events = await follow(service, "?joined=true");
  const jobIds = (frame: Frame) =>
    (frame.data as unknown as { type: string; jobId: string }[])
      .filter(({ type }) => type === "job")
      .map((event) => event.jobId);
  const armed = clock.armed;
  const first = await service.run();
  const atOnce = await events.next();
  expect(atOnce).toMatchObject({ type: "batch", data: [{ type: "job", jobId: first }] });
  while (clock.armed === armed) await clock.settle();
  const later = [await service.run(), await service.run()];
  const next = events.next();
  await clock.advance(99);
  const early = Symbol("early");
  expect(await Promise.race([next, clock.settle().then(() => early)])).toBe(early);
  await clock.advance(1);
  const joined = await next;
  expect(jobIds(joined)).toEqual(later);
  const ofJoined = joined.data as unknown as { id: string; at: string }[];
  expect(joined.id).toBe(ofJoined.at(-1)?.id);
  expect(ofJoined[0]?.at).toBe("2026-01-01T00:00:00.000Z");
});

it("the events report the end of each attempt, with its failure, and retries", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 9 });
  const events = await follow(service);
  const jobId = await service.run();
  await worker.finish(await worker.nextJob(), { kind: "handed-back" });
  await worker.fail(await worker.nextJob(), { message: "m".repeat(2_000) });
  const told = (await events.take(7)).filter((event) => (event as Frame).type === "attempt");
  const attempt = { type: "attempt", endpointId: "echo", jobId };
  expect(told).toEqual([
    { ...attempt, number: 1, outcome: "handed_back" },
    {
      ...{ ...attempt, number: 2, outcome: "failed" },
      failure: { type: "handler_error", message: "m".repeat(500) },
    },
  ]);
});
