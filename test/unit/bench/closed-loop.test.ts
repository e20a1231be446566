/** The closed loop of the load client: number of requests in flight, and the effect of a failure. */
import { expect, test } from "vitest";
import { closedLoop } from "../../../bench/load/closed-loop.ts";

test("a load keeps its number of requests in flight and never more, one in each slot", async () => {
  const busy = new Set<number>();
  let most = 0;
  const result = await closedLoop({ inFlight: 7, durationMs: 200 }, async (slot) => {
    expect(busy.has(slot)).toBe(false);
    busy.add(slot);
    most = Math.max(most, busy.size);
    await new Promise((resolve) => setImmediate(resolve));
    busy.delete(slot);
  });
  expect(most).toBe(7);
  expect(busy.size).toBe(0);
  expect(result.answers).toBeGreaterThanOrEqual(7);
  expect(result.perSecond * 0.2).toBeLessThanOrEqual(result.answers);
  expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms);
});

test("a load with a failed request is no measurement, and ends at once", async () => {
  let sent = 0;
  const load = closedLoop({ inFlight: 2, durationMs: 3_600_000 }, async () => {
    sent += 1;
    if (sent === 5) throw new Error("429");
  });
  await expect(load).rejects.toThrow("429");
});

test("at a pace a slot sends no request before it is due, and measures a late one from its due time", async () => {
  let now = 1_000;
  const pass = async (ms: number) => void (now += ms);
  const sentAt: number[] = [];
  const load = { inFlight: 1, durationMs: 140, everyMs: 50 };
  const once = async () => {
    sentAt.push(now);
    if (sentAt.length === 1) await pass(90);
  };
  const result = await closedLoop(load, once, { now: () => now, wait: pass });
  expect(sentAt).toEqual([1_000, 1_090, 1_100]);
  // The first request took 90 ms, the second was due 40 ms before it was sent, the third was in time.
  expect(result).toEqual({ perSecond: 3 / 0.14, answers: 3, p50Ms: 40, p99Ms: expect.closeTo(89) });
});
