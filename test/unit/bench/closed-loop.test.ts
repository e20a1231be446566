/** The closed loop of the load client: how many requests are in flight, and what a failure does. */
import { expect, test } from "vitest";
import { closedLoop } from "../../../bench/load/closed-loop.ts";

test("keeps so many requests in flight and never more, each slot with one", async () => {
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

test("at a pace a slot sends none before it is due, and one that was held up is counted from when it was due", async () => {
  const sentAt: number[] = [];
  const load = { inFlight: 1, durationMs: 900, everyMs: 300 };
  const result = await closedLoop(load, async () => {
    sentAt.push(performance.now());
    if (sentAt.length === 1) await new Promise((resolve) => setTimeout(resolve, 540));
  });
  const sinceFirst = sentAt.map((at) => at - (sentAt[0] ?? 0));
  // A timer may fire a millisecond early.
  for (const [index, at] of sinceFirst.entries()) expect(at).toBeGreaterThanOrEqual(index * 299);
  expect(sinceFirst.length).toBeGreaterThanOrEqual(3);
  // The first took 540 ms, the second was due 240 ms before it was sent, the third was in time.
  expect(result.p50Ms).toBeGreaterThanOrEqual(120);
  expect(result.p99Ms).toBeGreaterThanOrEqual(530);
});
