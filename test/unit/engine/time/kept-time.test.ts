/** Service time over restarts on one machine with a clock that may have been set in between. */
import { afterEach, expect, it } from "vitest";
import { createEngine } from "../../../../emulator/engine/engine.ts";
import { openContext } from "../../../../emulator/engine/parts/open-parts.ts";
import { openSteps } from "../../../../emulator/engine/steps/steps.ts";
import { clockSinceHighest, KeptTime } from "../../../../emulator/engine/time/kept-time.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { NOW, Owner } from "../../../contract/store/subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { ScriptedSender } from "../../scripted-sender.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** One run of a service on the store, which begins when the machine's clock shows `wallAt`. */
async function start(store: ReturnType<typeof createMemoryStore>, wallAt: number) {
  const real = new FakeClock(wallAt);
  const said: string[] = [];
  const note = (_: unknown, message: string) => void said.push(message);
  const log = { info: note, warn: note, error: note };
  const steps = await openSteps(store, { clock: real, log });
  const serviceClock = clockSinceHighest(steps, real);
  const open = await openContext({
    store,
    steps,
    clock: real,
    serviceClock,
    log,
    random: createSystemRandom(),
  });
  const kept = new KeptTime(open.context);
  await kept.begin(real.now());
  const engine = await createEngine(open, { launchers: [], webhookSender: new ScriptedSender() });
  await engine.start();
  await real.advance(0);
  let hasEnded = false;
  const stop = async () => {
    if (hasEnded) return;
    hasEnded = true;
    await engine.stop("kill");
    await kept.stop();
  };
  ends.push(stop);
  const { clock } = open.context;
  return { real, said, clock, stop, jobs: () => store.jobsOf("hello", 0, 99) };
}

/** Three jobs wait, with a time to live of a day; the last run ended when its clock showed `NOW`. */
async function threeWaiting() {
  const store = createMemoryStore();
  const owner = await Owner.of(store);
  for (let n = 0; n < 3; n += 1) await owner.insert();
  await (await start(store, NOW)).stop();
  return store;
}

it("a clock that is 2 days ahead at the start is used, deletes nothing for 10 minutes, and is logged", async () => {
  const store = await threeWaiting();
  const { real, said, clock, jobs } = await start(store, NOW + 2 * DAY_MS);
  expect(clock.now()).toBe(NOW + 2 * DAY_MS);
  expect(said).toEqual([
    expect.stringMatching(
      /48 h 0 min ahead .* 2027-01-17T08:00:00.000Z against 2027-01-15T08:00:00.000Z; 3 jobs .* held for 10 minutes.*clock hold/,
    ),
  ]);
  await real.advance(10 * MINUTE_MS - 1);
  expect(await jobs()).toHaveLength(3);
  await real.advance(1);
  expect(await jobs()).toEqual([]);
});

it("held jobs stay while the service runs, and still exist after a start with the right clock", async () => {
  const store = await threeWaiting();
  const wrong = await start(store, NOW + 2 * DAY_MS);
  wrong.clock.hold();
  await wrong.real.advance(5 * HOUR_MS);
  expect(await wrong.jobs()).toHaveLength(3);
  await wrong.stop();
  const right = await start(store, NOW + 6 * HOUR_MS);
  expect(right.clock.now()).toBe(NOW + 6 * HOUR_MS);
  expect(await right.jobs()).toHaveLength(3);
  await right.real.advance(18 * HOUR_MS);
  expect(await right.jobs()).toEqual([]);
});

it("jobs that are due even without the gap are deleted while the rest is held", async () => {
  const store = createMemoryStore();
  const owner = await Owner.of(store);
  await owner.insert({ id: "soon", ttlMs: 5 * MINUTE_MS });
  await owner.insert({ id: "late" });
  await (await start(store, NOW)).stop();
  const { real, clock, jobs } = await start(store, NOW + 2 * DAY_MS);
  expect(clock.heldBackMs).toBe(2 * DAY_MS);
  await real.advance(4 * MINUTE_MS);
  expect(await jobs()).toHaveLength(2);
  await real.advance(2 * MINUTE_MS);
  expect((await jobs()).map(({ id }) => id)).toEqual(["late"]);
});

it.each([HOUR_MS, 5 * MINUTE_MS])(
  "a pause of %i ms between two runs holds nothing back",
  async (byMs) => {
    const store = createMemoryStore();
    const owner = await Owner.of(store);
    await owner.insert({ ttlMs: 5 * MINUTE_MS });
    await (await start(store, NOW)).stop();
    const { said, jobs } = await start(store, NOW + byMs);
    expect([await jobs(), said]).toEqual([[], []]);
  },
);

it("a long time between two runs that deletes nothing is not logged", async () => {
  const store = await threeWaiting();
  const { clock, said } = await start(store, NOW + 2 * HOUR_MS);
  expect([clock.heldBackMs, said]).toEqual([0, []]);
});

it("a clock that is behind at the start is not followed: service time continues from its last value", async () => {
  const store = await threeWaiting();
  const { real, clock, said, stop } = await start(store, NOW - 3 * HOUR_MS);
  expect(clock.now()).toBe(NOW);
  expect(said).toEqual([
    expect.stringMatching(/3 h 0 min behind .* 2027-01-15T05:00:00.000Z against 2027-01-15T08/),
  ]);
  await real.advance(HOUR_MS);
  expect(clock.now()).toBe(NOW + HOUR_MS);
  await stop();
  const next = await start(store, NOW + 2 * HOUR_MS);
  expect(next.clock.now()).toBe(NOW + 2 * HOUR_MS);
});

it("the highest service time is stored each minute, for a service that is killed", async () => {
  const store = await threeWaiting();
  const { real } = await start(store, NOW);
  await real.advance(10 * MINUTE_MS + 5);
  const { records } = await store.boot();
  expect(records.clock.get("highest")?.highest).toBe(NOW + 10 * MINUTE_MS);
});
