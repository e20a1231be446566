/**
 * Service time from samples of the database's clock: no leap, standstill or jump of a clock makes anything expire
 * early.
 */
import { expect, it } from "vitest";
import { SeededRandom } from "../../../e2e/crash/seeded-random.ts";
import { sized } from "../../../setup/size.ts";
import { TimeCluster } from "./time-cluster.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function twoReplicas() {
  const cluster = new TimeCluster();
  const [one, two] = [cluster.join(), cluster.join(2 * DAY_MS)];
  await cluster.pass(2);
  return { cluster, one, two };
}

it("service time is the database's clock plus half of the round trip, whatever the machine's clock", async () => {
  const { one, two } = await twoReplicas();
  expect([one.errorMs, two.errorMs]).toEqual([0, 0]);
});

it("service time is unknown before the first sample, and does not run until then", async () => {
  const cluster = new TimeCluster();
  const { time } = cluster.join();
  await cluster.real.advance(10_000);
  expect([time.isKnown, time.now()]).toEqual([false, 0]);
});

it("answers that took more than 500 ms are dropped", async () => {
  const { cluster, one } = await twoReplicas();
  await cluster.real.advance(1_000);
  one.renew({ askedAt: one.now() - 501, databaseAt: cluster.real.now() + 4_000 });
  await cluster.real.advance(4_000);
  expect(one.errorMs).toBe(0);
  one.renew({ askedAt: one.now() - 500, databaseAt: cluster.real.now() + 4_000 - 250 });
  await cluster.real.advance(4_000);
  expect(one.errorMs).toBeGreaterThan(1_000);
});

it("a slow answer is the minimum if the time is unknown", () => {
  const cluster = new TimeCluster();
  const one = cluster.join();
  one.renew({ askedAt: one.now() - 3_000, databaseAt: cluster.real.now() - 2_900 });
  expect([one.time.isKnown, one.errorMs]).toEqual([true, -2_900]);
});

it.each([4_000, -4_000])(
  "a difference of %i ms is slewed, and time never goes back",
  async (byMs) => {
    const { cluster, one } = await twoReplicas();
    cluster.databaseAheadMs = byMs;
    one.renew();
    let last = one.time.now();
    for (let ms = 0; ms < 9_000; ms += 100) {
      await cluster.real.advance(100);
      if (ms % 1_000 === 0) one.renew();
      const now = one.time.now();
      expect(now - last).toBeGreaterThanOrEqual(49);
      expect(now - last).toBeLessThanOrEqual(151);
      last = now;
    }
    expect(one.errorMs).toBe(byMs);
    expect(cluster.leaps).toBe(0);
  },
);

it.each([HOUR_MS, -HOUR_MS, 2 * DAY_MS, -2 * DAY_MS, 5_100, -5_100])(
  "a leap of the database's clock by %i ms is undone for all replicas, once",
  async (byMs) => {
    const { cluster, one, two } = await twoReplicas();
    cluster.databaseAheadMs = byMs;
    await cluster.pass(5);
    expect([one.errorMs, two.errorMs, cluster.offsetMs]).toEqual([0, 0, -byMs]);
    expect(cluster.leaps).toBe(1);
    const three = cluster.join(7);
    await cluster.pass(1);
    expect([three.time.isKnown, three.errorMs]).toEqual([true, 0]);
  },
);

it.each([HOUR_MS, -HOUR_MS])(
  "service time continues over a fail-over of 20 s to a server with a clock that differs by %i ms",
  async (byMs) => {
    const { cluster, one, two } = await twoReplicas();
    for (const each of [one, two]) each.isAway = true;
    await cluster.pass(20);
    cluster.databaseAheadMs = byMs;
    for (const each of [one, two]) each.isAway = false;
    await cluster.pass(2);
    expect([one.errorMs, two.errorMs]).toEqual([0, 0]);
  },
);

it("service time of a process that was frozen for over 5 s stops until a new sample, and no timer fires", async () => {
  const { cluster, one } = await twoReplicas();
  const before = one.time.now();
  let fired = 0;
  one.time.wakeAt(before + 6_000, () => (fired += 1));
  one.isStill = true;
  await cluster.pass(8);
  one.isStill = false;
  expect([one.time.isKnown, one.time.now()]).toEqual([false, before]);
  await cluster.real.advance(0);
  expect(fired).toBe(0);
  one.renew();
  expect([one.time.isKnown, one.errorMs]).toEqual([true, 0]);
});

it("a timer that became due in a standstill fires when the time is known", async () => {
  const { cluster, one } = await twoReplicas();
  let firedAt = 0;
  one.time.wakeAt(one.time.now() + 6_000, () => (firedAt = one.time.now()));
  one.aheadMs += HOUR_MS;
  await cluster.real.advance(900);
  expect(firedAt).toBe(0);
  const at = cluster.real.now() + 5_100;
  await cluster.pass(6);
  expect(Math.abs(firedAt - at)).toBeLessThan(1_000);
});

it.each([HOUR_MS, -HOUR_MS])(
  "a monotonic clock that jumps by %i ms changes no replica's time",
  async (byMs) => {
    const { cluster, one, two } = await twoReplicas();
    const before = one.time.now();
    one.aheadMs += byMs;
    expect(one.time.now()).toBe(before);
    await cluster.pass(3);
    expect([one.errorMs, two.errorMs, cluster.leaps]).toEqual([0, 0, 0]);
  },
);

it("a machine that slept with all its clocks continues at the others' time", async () => {
  const { cluster, one, two } = await twoReplicas();
  one.isStill = true;
  await cluster.pass(600);
  one.aheadMs -= 600_000;
  one.isStill = false;
  await cluster.pass(2);
  expect([one.errorMs, two.errorMs, cluster.leaps]).toEqual([0, 0, 0]);
});

it("a replica that starts between a leap and its discovery waits for those with the right time", async () => {
  const { cluster, one } = await twoReplicas();
  cluster.databaseAheadMs = 2 * DAY_MS;
  const late = cluster.join();
  late.renew();
  expect([late.time.isKnown, late.time.now() <= one.time.now()]).toEqual([false, true]);
  await cluster.pass(2);
  expect([late.time.isKnown, late.errorMs, one.errorMs]).toEqual([true, 0, 0]);
});

it("service time never goes back when all replicas restart against a server with a slow clock", async () => {
  const { cluster, one } = await twoReplicas();
  const last = one.time.now();
  cluster.replicas.length = 0;
  await cluster.real.advance(60_000);
  cluster.databaseAheadMs = -DAY_MS;
  const next = cluster.join();
  next.renew();
  expect(next.time.isKnown).toBe(true);
  expect(next.time.now()).toBeGreaterThanOrEqual(last - 1_000);
  expect(cluster.offsetMs).toBeGreaterThan(DAY_MS - 120_000);
});

it.each([-1, -700, -4_900])(
  "service time never goes back when a sample is off by %i ms, whether the time was known before or not",
  async (byMs) => {
    const { cluster, one, two } = await twoReplicas();
    two.aheadMs += HOUR_MS;
    const late = cluster.join();
    const told = one.time.now();
    cluster.databaseAheadMs = byMs;
    for (const { time } of [two, late]) expect(time.isKnown).toBe(false);
    for (const each of [one, two, late]) {
      each.renew();
      expect(each.time.isKnown).toBe(true);
      expect(each.time.now()).toBeGreaterThanOrEqual(told);
    }
    expect(cluster.leaps).toBe(0);
  },
);

it("for any behaviour of the clocks, service time is never ahead of real time and never goes back", async () => {
  const random = new SeededRandom(1);
  for (let run = 0; run < sized(20, 400); run += 1) {
    const cluster = new TimeCluster();
    cluster.join(random.integer(0, DAY_MS));
    await cluster.pass(1);
    cluster.join(random.integer(0, DAY_MS));
    await cluster.pass(1);
    const told = new Map(cluster.replicas.map((each) => [each, each.time.now()]));
    for (let second = 0; second < 40; second += 1) {
      const struck = cluster.replicas[random.integer(0, 1)];
      const byMs = random.integer(6_000, HOUR_MS) * (random.next() < 0.5 ? 1 : -1);
      const fate = random.integer(0, 11);
      if (fate === 0 && cluster.replicas.every(({ isStill }) => !isStill))
        cluster.databaseAheadMs += byMs;
      if (fate === 1 && struck) struck.aheadMs += byMs;
      const others = cluster.replicas.filter((each) => each !== struck);
      if (fate === 2 && struck && others.every(({ isStill }) => !isStill)) struck.isStill = true;
      if (fate === 3) for (const each of cluster.replicas) each.isStill = false;
      // The next fault occurs when this one is known.
      await cluster.pass(2);
      for (const each of cluster.replicas) {
        const now = each.time.now();
        expect(now).toBeGreaterThanOrEqual(told.get(each) ?? 0);
        expect(each.errorMs).toBeLessThan(20);
        if (each.time.isKnown) expect(each.errorMs).toBeGreaterThan(-1_000);
        told.set(each, now);
      }
    }
    for (const { time } of cluster.replicas) time.close();
  }
});
