/** Usage entries over ends, restarts and full disks. */
import { expect, it, vi } from "vitest";
import type { Usage } from "../../../../emulator/core/billing/usage.ts";
import { UsageMeter } from "../../../../emulator/engine/billing/usage-meter.ts";
import { OwnedPartitions } from "../../../../emulator/engine/steps/state/owned-partitions.ts";
import { openSteps } from "../../../../emulator/engine/steps/steps.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { storeThatFills } from "../filling-store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const worker = { kind: "worker", podId: "w1", imageName: "i", perHour: 1, diskInGb: 50 } as const;
const volume = { kind: "volume", volumeId: "v1", perHour: 1, diskInGb: 10 } as const;

/** The ownership of one of several processes, which owns everything. */
const sharedPartitions = { holds: () => true, holdsService: () => true, isShared: true };

async function meterOn(
  store = createMemoryStore(),
  clock = new FakeClock(),
  ownership: Pick<OwnedPartitions, keyof typeof sharedPartitions> = new OwnedPartitions(),
) {
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_fields: object, message: string) => void warnings.push(message),
    error: () => undefined,
  };
  const steps = await openSteps(store, { log, clock });
  const meter = new UsageMeter({
    steps,
    ownership,
    clock,
    realClock: clock,
    random: createSystemRandom(),
    log,
  });
  return { store, clock, steps, meter, warnings };
}

it("the meter records the begin and the end of each use", async () => {
  const { meter, clock } = await meterOn();
  const startedAt = clock.now();
  meter.began(worker);
  await clock.advance(90_000);
  expect(await meter.usages()).toMatchObject([{ podId: "w1", startedAt, endedAt: undefined }]);
  meter.ended("w1");
  meter.ended("w1");
  meter.ended("nobody");
  const endedAt = startedAt + 90_000;
  expect(await meter.usages()).toMatchObject([{ podId: "w1", startedAt, endedAt }]);
  await meter.stop();
});

it("the next start ends the entries of a killed service at its last sign of life, and continues those of volumes", async () => {
  const { meter, store, clock } = await meterOn();
  const startedAt = clock.now();
  meter.began(worker);
  meter.began(volume);
  await clock.advance(2 * MINUTE_MS + 30_000);
  const { meter: next } = await meterOn(store, clock);
  await next.load();
  expect(await next.usages()).toMatchObject([
    { kind: "worker", endedAt: startedAt + 2 * MINUTE_MS },
    { kind: "volume", endedAt: undefined },
  ]);
  next.ended("v1");
  expect((await next.usages()).at(-1)).toMatchObject({ kind: "volume", endedAt: clock.now() });
  await meter.stop();
  await next.stop();
});

it("the meter drops entries older than a year", async () => {
  const { meter, store, clock } = await meterOn();
  meter.began(worker);
  meter.ended("w1");
  await meter.stop();
  await clock.advance(401 * 86_400_000);
  const { meter: next } = await meterOn(store, clock);
  await next.load();
  expect(await next.usages()).toEqual([]);
});

it("the meter arms no timer while nothing runs", async () => {
  const { meter, clock } = await meterOn();
  meter.began(worker);
  meter.ended("w1");
  await clock.advance(MINUTE_MS);
  expect(clock.armed).toBe(0);
  await meter.stop();
});

it("an entry that could not be stored is logged, and the meter continues", async () => {
  const { store, fill } = storeThatFills();
  const { meter, warnings } = await meterOn(store);
  fill(true);
  meter.began(worker);
  await meter.stop();
  expect(warnings).toHaveLength(1);
  fill(false);
  meter.ended("w1");
  expect(await meter.usages()).toMatchObject([{ podId: "w1" }]);
});

it("a bill reads the entries of years page by page, and keeps only those of its period", async () => {
  const { meter, steps, store, clock } = await meterOn(undefined, undefined, sharedPartitions);
  await steps.commit((step) => {
    for (let ago = 1; ago <= 2_500; ago += 1) {
      const endedAt = clock.now() - ago * MINUTE_MS;
      const id = String(10_000 - ago);
      const ran = { startedAt: endedAt - MINUTE_MS, endedAt, seenAt: endedAt };
      step.putRecord("usage", id, { ...worker, ...ran, id });
    }
  });
  const asked = vi.spyOn(store, "usage");
  await meter.load();
  expect(await meter.usages(clock.now() - 3 * MINUTE_MS)).toHaveLength(3);
  const pages = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<Usage[]>));
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(1_100);
});

it("a bill since yesterday reads no entry that ended long ago", async () => {
  const { meter, store, clock } = await meterOn();
  const lasting = { ...worker, podId: "lasting" };
  meter.began(lasting);
  meter.began(volume);
  for (let day = 0; day < 20; day += 1) {
    const podId = `w${day}`;
    meter.began({ ...worker, podId });
    await clock.standStill(DAY_MS / 2);
    meter.ended(podId);
    await clock.standStill(DAY_MS / 2);
  }
  meter.ended("lasting");
  const yesterday = clock.now() - DAY_MS;
  const subjects = async (of: UsageMeter) =>
    (await of.usages(yesterday)).map((usage) =>
      usage.kind === "volume" ? usage.volumeId : usage.podId,
    );
  const concerned = ["lasting", "v1", "w19"];
  expect(await subjects(meter)).toEqual(concerned);
  expect(await meter.usages()).toHaveLength(22);
  const { meter: next } = await meterOn(store, clock);
  await next.load();
  expect(await subjects(next)).toEqual(concerned);
  await meter.stop();
  await next.stop();
});
