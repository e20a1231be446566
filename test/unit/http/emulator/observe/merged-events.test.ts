/** The events of several replicas, followed at one of them. */
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TextReader } from "../../operation/answers/text-reader.ts";
import {
  startReplicas,
  type TestReplica,
  type TestReplicas,
  until,
} from "../../replicas/replicas-harness.ts";
import { KEY } from "../../http-harness.ts";
import { follow, type Frame } from "./follow-events.ts";

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas();
});
afterEach(() => replicas[Symbol.asyncDispose]());

const feedOf = ({ service }: TestReplica) => service.test.engine.events;

function publish(replica: TestReplica, workerId: string): void {
  feedOf(replica).publish({ type: "worker", endpointId: "echo", workerId, state: "ready" });
}

type Events = Awaited<ReturnType<typeof follow>>;

/** The next events of workers. */
async function workers(events: Events, count: number): Promise<readonly Frame[]> {
  const frames = [];
  while (frames.length < count) frames.push(await events.next());
  expect(frames.filter(({ type }) => type !== "worker")).toEqual([]);
  return frames;
}

const namesOf = (frames: readonly Frame[]) => frames.map(({ data }) => String(data["workerId"]));

it("merged events include all replicas' events, each in order, and a reader can continue at any replica", async () => {
  const { a, b, c } = replicas;
  const events = await follow(a.service);
  for (const nth of [1, 2, 3]) {
    publish(a, `a${nth}`);
    publish(b, `b${nth}`);
  }
  const seen = await workers(events, 6);
  for (const [cut, id] of [events.id, ...seen.map((frame) => frame.id)].entries()) {
    for (const asked of [a, c]) {
      const again = await follow(asked.service, "", id);
      const names = namesOf([...seen.slice(0, cut), ...(await workers(again, 6 - cut))]);
      const of = (replica: string) => names.filter((name) => name.startsWith(replica));
      expect.soft([of("a"), of("b")]).toEqual([
        ["a1", "a2", "a3"],
        ["b1", "b2", "b3"],
      ]);
      again.leave();
    }
  }
  const last = await follow(c.service, `?after=${seen.at(-1)?.id}`);
  publish(c, "c1");
  expect(namesOf(await workers(last, 1))).toEqual(["c1"]);
});

it("merged events leave out other endpoints, and report once what every replica reports", async () => {
  const { a, b, c } = replicas;
  const all = await follow(a.service);
  const other = await follow(c.service, "?endpointId=other");
  for (const each of [b, c, a])
    feedOf(each).publish({ type: "endpoint", endpointId: "other", change: "changed" });
  for (const each of [a, b, c]) publish(each, "w");
  const told = [];
  for (let nth = 0; nth < 4; nth += 1) told.push((await all.next()).type);
  expect(told.toSorted()).toEqual(["endpoint", "worker", "worker", "worker"]);
  expect(await other.next()).toMatchObject({ type: "endpoint" });
  feedOf(b).publish({ type: "worker", endpointId: "other", workerId: "o", state: "ready" });
  expect(namesOf(await workers(other, 1))).toEqual(["o"]);
});

it("merged events are joined under an id, after which a reader can continue", async () => {
  const { a, b } = replicas;
  const events = await follow(a.service, "?joined=true");
  for (const nth of [1, 2]) publish(b, `b${nth}`);
  const next = events.next();
  const notYet = Symbol("not yet");
  const passing = () => a.service.test.clock.advance(100).then(() => notYet);
  while ((await Promise.race([next, passing()])) === notYet);
  const { type, id, data } = await next;
  expect(type).toBe("batch");
  const batch = data as unknown as (Frame["data"] & { readonly id: string })[];
  expect(batch.map(({ workerId }) => workerId)).toEqual(["b1", "b2"]);
  expect(batch.at(-1)?.id).toBe(id);
  const again = await follow(a.service, "", batch[0]?.id);
  expect(namesOf(await workers(again, 1))).toEqual(["b2"]);
});

it("a new replica's events are included, with a `reset` for its earlier ones", async () => {
  const { a, c, cluster } = replicas;
  cluster.replicas.delete("c");
  const events = await follow(a.service);
  expect(events.id).not.toContain("c/");
  publish(c, "early");
  cluster.replicas.set("c", c.ownership.self);
  cluster.announce();
  const reset = await events.next();
  expect(reset).toMatchObject({ type: "reset", data: { reason: /the replicas are others/u } });
  publish(c, "c1");
  const [first] = await workers(events, 1);
  expect(namesOf(first ? [first] : [])).toEqual(["c1"]);
  const again = await follow(a.service, "", reset.id);
  expect(namesOf(await workers(again, 1))).toEqual(["c1"]);
});

it("readers get `reset` when a replica has gone, and when they return afterwards", async () => {
  const { a, b, c, cluster } = replicas;
  const events = await follow(a.service);
  cluster.replicas.delete("c");
  cluster.announce();
  const reset = await events.next();
  expect(reset.type).toBe("reset");
  expect(reset.id).not.toContain("c/");
  publish(c, "nobody's");
  publish(b, "b1");
  expect(namesOf(await workers(events, 1))).toEqual(["b1"]);
  const late = await follow(b.service, "", events.id);
  expect(await late.next()).toMatchObject({ type: "reset" });
  expect(await late.reader.until("\n\n")).toMatch(/^id: b\/[^/]+,a\/[^/]+\n\n$/u);
  publish(b, "b2");
  expect(namesOf(await workers(late, 1))).toEqual(["b2"]);
});

it("a silent replica is named, and all its events follow when it answers", async () => {
  const { a, b, c } = replicas;
  const events = await follow(a.service);
  c.way.close();
  const missing = { type: "replica", data: { replica: "c", state: "missing" } };
  expect(await events.next()).toMatchObject(missing);
  publish(c, "c1");
  publish(b, "b1");
  expect(namesOf(await workers(events, 1))).toEqual(["b1"]);
  await c.way.open();
  await a.service.test.clock.advance(1_000);
  expect(await events.next()).toMatchObject({ type: "replica", data: { state: "back" } });
  expect(namesOf(await workers(events, 1))).toEqual(["c1"]);
});

it("merged events do not wait for a frozen replica", async () => {
  const { a, b, c } = replicas;
  c.way.hold();
  const opened = await a.service.open("/emulator/events");
  const reader = new TextReader(opened.body);
  await until(() => feedOf(b).isFollowed);
  publish(b, "b1");
  expect(await reader.until("\n\n")).toContain('"workerId":"b1"');
  await a.service.test.clock.advance(2_000);
  expect(await reader.until("\n\n")).toContain('"replica":"c","state":"missing"');
  expect(await reader.until("\n\n")).toMatch(/^id: a\/[^/]+,b\/[^/]+\n\n$/u);
  c.way.letGo();
});

it("a reader that does not keep up is dropped, and its events are not kept", async () => {
  const { a, b } = replicas;
  const reader = await a.service.socket(
    `GET /emulator/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${KEY}\r\n\r\n`,
  );
  reader.pause();
  await until(() => feedOf(b).isFollowed);
  for (let told = 0; feedOf(b).isFollowed; told += 1) {
    expect(told).toBeLessThan(100_000);
    publish(b, "w".repeat(1_000));
    // Pauses often enough for the replicas to keep up with each other: only the reader does not.
    if (told % 100 === 0) await setImmediate();
  }
  await until(() => !feedOf(a).isFollowed);
  const text = await new TextReader(reader).rest();
  expect(text).toMatch(/event: dropped\ndata: \{"error":"some events are lost[^\n]*\n\n/u);
});
