/** Room for large payloads: given in order, returned, waited for, and refused in time. */
import { expect, it } from "vitest";
import { BytesInFlight } from "../../../../emulator/engine/limits/bytes-in-flight.ts";
import { FakeClock } from "../../../fake-clock.ts";

const LIMITS = { maxBytes: 100, maxWaiting: 2, waitMs: 30_000 };
const NEVER = new AbortController().signal;

function room() {
  const clock = new FakeClock();
  const inFlight = new BytesInFlight(clock, LIMITS);
  const order: string[] = [];
  const take = (name: string, bytes: number, signal = NEVER) =>
    inFlight.take(bytes, signal).then((share) => {
      order.push(share === undefined ? `${name} left` : name);
      return share;
    });
  return { clock, inFlight, order, take };
}

it("shares are given while there is room, then in the order of the requests", async () => {
  const { order, take } = room();
  const [first, second] = [await take("a", 60), await take("b", 40)];
  const [large, small] = [take("large", 90), take("small", 5)];
  first?.[Symbol.dispose]();
  await Promise.resolve();
  // The small one would fit, but must not overtake.
  expect(order).toEqual(["a", "b"]);
  second?.[Symbol.dispose]();
  second?.[Symbol.dispose]();
  await Promise.all([large, small]);
  expect(order).toEqual(["a", "b", "large", "small"]);
});

it("a request for more than the total room is served alone", async () => {
  const { order, take } = room();
  const whole = await take("whole", 1_000);
  const next = take("next", 1);
  await Promise.resolve();
  expect(order).toEqual(["whole"]);
  whole?.[Symbol.dispose]();
  await next;
  expect(order).toEqual(["whole", "next"]);
});

it("a request is refused if it waits too long, or if too many wait already", async () => {
  const { clock, take } = room();
  const all = await take("all", 100);
  const waiting = [take("b", 1), take("c", 1)];
  const refused = { code: "too_much_in_flight", status: 503, retryAfterMs: 1_000 };
  await expect(take("d", 1)).rejects.toMatchObject(refused);
  const ends = Promise.all(waiting.map((each) => expect(each).rejects.toMatchObject(refused)));
  await clock.advance(30_000);
  await ends;
  all?.[Symbol.dispose]();
  // A refused request holds no room.
  expect(await take("e", 100)).toBeDefined();
});

it("a waiting request that is aborted lets the next one in", async () => {
  const { order, take } = room();
  await take("a", 60);
  const gone = new AbortController();
  const large = take("large", 90, gone.signal);
  const small = take("small", 40);
  gone.abort();
  await Promise.all([large, small]);
  expect(order).toEqual(["a", "large left", "small"]);
});

it("an immediate share comes from half of the room, and overtakes no waiting request", async () => {
  const { inFlight, order, take } = room();
  const held = inFlight.takeNow(50);
  expect(held).toBeDefined();
  expect(inFlight.takeNow(1)).toBeUndefined();
  // The other half is still used.
  (await take("a", 50))?.[Symbol.dispose]();
  held?.[Symbol.dispose]();
  held?.[Symbol.dispose]();
  const whole = await take("whole", 100);
  const next = take("next", 10);
  expect(inFlight.takeNow(1)).toBeUndefined();
  whole?.[Symbol.dispose]();
  await next;
  expect(order).toEqual(["a", "whole", "next"]);
  expect(inFlight.takeNow(40)).toBeDefined();
  expect(inFlight.takeNow(1)).toBeUndefined();
});
