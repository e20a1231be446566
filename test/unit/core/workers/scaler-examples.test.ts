/** The published examples of both formulas, played in the scaler's small world. */
import { describe, expect, it } from "vitest";
import type { Settings } from "./happening.ts";
import { ScaledWorld } from "./scaled-world.ts";

const DEFAULTS: Settings = {
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
};
const BY_COUNT = { scalerType: "REQUEST_COUNT", scalerValue: 1 } as const;

/** A world in which a worker starts in 4 s; those of workersMin are ready. */
function world(settings: Partial<Settings> = {}): ScaledWorld {
  const made = new ScaledWorld({ ...DEFAULTS, ...settings }, 4_000);
  made.run(10_000);
  return made;
}

const jobs = (count: number, runMs: number, low = false) =>
  ({ kind: "submit", count, runMs, low }) as const;

describe("REQUEST_COUNT", () => {
  it("with 6 jobs of 8 s, scalerValue 1, workersMax 3 and no warm worker starts three workers at most, and all jobs are done", () => {
    const cold = world(BY_COUNT);
    cold.happen(jobs(6, 8_000));
    expect(cold.run(cold.now + 20_000)).toBe(true);
    expect(cold).toMatchObject({ starts: 3, most: 3, finished: 6, offences: [] });
  });

  it("with 6 jobs of 8 s and three warm workers runs three at once", () => {
    const warm = world({ ...BY_COUNT, workersMin: 3 });
    warm.happen(jobs(6, 8_000));
    expect(warm).toMatchObject({ running: 3, starts: 3 });
  });

  it("with scalerValue 1 wants one worker for each pending job", () => {
    const wide = world({ ...BY_COUNT, workersMax: 10 });
    for (const wanted of [1, 4, 9]) {
      wide.happen(jobs(wanted - wide.starts, 60_000));
      expect(wide.live).toBe(wanted);
    }
  });

  it("wants the waiting and the running jobs divided by scalerValue, rounded up", () => {
    for (const [count, wanted] of [
      [1, 1],
      [4, 1],
      [5, 2],
      [9, 3],
      [40, 3],
    ] as const) {
      const counted = world({ ...BY_COUNT, scalerValue: 4 });
      counted.happen(jobs(count, 60_000));
      expect(counted.live).toBe(wanted);
    }
  });
});

describe("QUEUE_DELAY", () => {
  it("of 4 s with two warm workers stays at two while no job waits that long", () => {
    const warm = world({ workersMin: 2 });
    warm.happen(jobs(6, 1_300));
    warm.run(warm.now + 10_000);
    expect(warm).toMatchObject({ starts: 2, finished: 6 });
  });

  it("of 4 s with two warm workers adds the third when the oldest job has waited 4 s, and not a fourth", () => {
    const warm = world({ workersMin: 2 });
    warm.happen(jobs(6, 8_000));
    warm.run(warm.now + 3_999);
    expect(warm.live).toBe(2);
    warm.run(warm.now + 1);
    expect(warm.live).toBe(3);
    warm.run(warm.now + 30_000);
    expect(warm).toMatchObject({ most: 3, finished: 6 });
  });

  it("of 4 s adds a worker every 4 s while a slow start keeps the oldest job waiting", () => {
    const slow = new ScaledWorld({ ...DEFAULTS, workersMax: 5 }, 60_000);
    slow.happen(jobs(1, 8_000));
    const counts = [];
    for (const moment of [0, 3_999, 4_000, 8_000, 12_000, 16_000, 20_000]) {
      slow.run(moment);
      counts.push(slow.live);
    }
    expect(counts).toEqual([1, 1, 2, 3, 4, 5, 5]);
  });
});

describe("both formulas", () => {
  const BOTH = [{ scalerValue: 60 }, BY_COUNT];

  it.each(BOTH)("stop the last worker 5 s after the last job by default (%o)", (type) => {
    const done = world(type);
    done.happen(jobs(1, 1_000));
    done.run(done.now + 4_000 + 1_000 + 4_999);
    expect(done.live).toBe(1);
    done.run(done.now + 1);
    expect(done.live).toBe(0);
  });

  it.each(BOTH)("with workersMax 0 run no job and have no worker (%o)", (type) => {
    const stopped = world({ ...type, workersMin: 2 });
    stopped.happen({ kind: "set", settings: { workersMax: 0 } });
    stopped.happen(jobs(3, 1_000));
    expect(stopped.run()).toBe(true);
    expect(stopped).toMatchObject({ live: 0, processes: 0, finished: 0 });
  });

  it.each(BOTH)(
    "start no worker for jobs of low priority, which run on other jobs' workers (%o)",
    (type) => {
      const patient = world(type);
      patient.happen(jobs(2, 1_000, true));
      expect(patient.run()).toBe(true);
      expect(patient).toMatchObject({ starts: 0, waiting: { normal: 0, low: 2 } });
      patient.happen(jobs(1, 1_000));
      patient.run();
      expect(patient).toMatchObject({ starts: 1, finished: 3 });
    },
  );

  it.each(BOTH)(
    "exceed workersMax in a release only by workers that finish their jobs (%o)",
    (type) => {
      const rolled = world({ ...type, workersMin: 2, workersMax: 2 });
      rolled.happen(jobs(2, 30_000));
      rolled.happen({ kind: "release" });
      expect(rolled).toMatchObject({ live: 2, processes: 4, running: 2 });
      rolled.run(rolled.now + 31_000);
      expect(rolled).toMatchObject({ live: 2, processes: 2, finished: 2, offences: [] });
    },
  );
});
