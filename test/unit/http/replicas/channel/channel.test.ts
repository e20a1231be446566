/** A connection between two replicas: a cut one differs from a silent one. */
import { type Duplex, duplexPair } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  Channel,
  type ExchangeEvents,
} from "../../../../../emulator/http/replicas/channel/channel.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Advances by these seconds; data in transit arrives. */
async function pass(seconds: number): Promise<void> {
  for (let beats = seconds * 2; beats > 0; beats -= 1) {
    vi.advanceTimersByTime(500);
    for (let turns = 0; turns < 4; turns += 1) await new Promise(setImmediate);
  }
}

/** Events that only call `broken`. */
function listener(broken: () => void): ExchangeEvents {
  const ignored = () => undefined;
  return { data: ignored, ended: ignored, room: ignored, woken: ignored, broken };
}

/** Two ends of a connection that can be cut: no data arrives then, and neither end is told. */
function cuttable() {
  const [a, toA] = duplexPair();
  const [b, toB] = duplexPair();
  let isCut = false;
  const join = (from: Duplex, to: Duplex) =>
    from.on("data", (bytes: Buffer) => isCut || to.write(bytes));
  join(toA, toB);
  join(toB, toA);
  return { a, b, cut: () => (isCut = true) };
}

it("both ends give a connection up within three seconds after a cut, and not before", async () => {
  const { a, b, cut } = cuttable();
  const broken: string[] = [];
  const client = new Channel(a);
  const server = new Channel(b, () => listener(() => broken.push("there")));
  client.open(
    "{}",
    listener(() => broken.push("here")),
  );
  await pass(60);
  cut();
  await pass(2);
  expect([client.isOpen, server.isOpen]).toEqual([true, true]);
  await pass(1);
  expect([client.isOpen, server.isOpen]).toEqual([false, false]);
  expect(broken.toSorted()).toEqual(["here", "there"]);
});

it("any received byte is a sign of life, even a part of a frame", async () => {
  const [a, b] = duplexPair();
  const channel = new Channel(a);
  for (let pieces = 0; pieces < 8; pieces += 1) {
    await pass(2);
    b.write(Buffer.of(0));
  }
  expect(channel.isOpen).toBe(true);
  await pass(3);
  expect(channel.isOpen).toBe(false);
});
