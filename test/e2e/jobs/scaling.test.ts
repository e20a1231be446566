/** Number of workers of an endpoint over time, seen through /health, with real workers. */
import { expect, test } from "vitest";
import type { EndpointHealth } from "../../../runtime/client/index.ts";
import { Gate } from "./gate.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";
import { testInFull } from "../../setup/size.ts";

/** One worker for each job; idle workers leave after a second. */
const BY_COUNT = {
  handler: "waits-at-a-gate.ts",
  scalerType: "REQUEST_COUNT",
  scalerValue: 1,
  idleTimeout: 1,
};

/** `ready` repeats `idle`, and `throttled` is no worker. */
function workerCount({ workers }: EndpointHealth): number {
  const { idle, running, initializing = 0, unhealthy = 0 } = workers;
  return idle + running + initializing + unhealthy;
}

async function healthWhere(
  stage: Stage,
  id: string,
  what: string,
  holds: (health: EndpointHealth) => boolean,
): Promise<EndpointHealth> {
  return eventually(`${id}: ${what}`, async () => {
    const health = await stage.endpoint(id).health();
    return holds(health) ? health : undefined;
  });
}

test("workers grow to workersMax while jobs wait, and shrink to workersMin after idleTimeout", async () => {
  const endpoints = { gated: { ...BY_COUNT, workersMin: 1, workersMax: 3 } };
  await using stage = await Stage.set({ endpoints });
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  await healthWhere(stage, "gated", "one idle worker", ({ workers }) => workers.idle === 1);

  const names = ["a", "b", "c", "d", "e"];
  const startedAt = performance.now();
  const jobs = await Promise.all(names.map((name) => gated.run(gate.input(name))));
  let most = 0;
  const grown = await healthWhere(stage, "gated", "three at work", (health) => {
    most = Math.max(most, workerCount(health));
    return health.workers.running === 3;
  });
  const grownMs = performance.now() - startedAt;
  expect(grown).toMatchObject({ jobs: { inProgress: 3, inQueue: 2 }, workers: { running: 3 } });

  for (const name of names) await gate.open(name);
  const done = await Promise.all(jobs.map(({ id }) => gated.wait(id)));
  expect(new Set(done.map(({ workerId }) => workerId)).size).toBe(3);
  const endedAt = performance.now();
  const shrunk = await healthWhere(stage, "gated", "one worker", (health) => {
    most = Math.max(most, workerCount(health));
    return workerCount(health) === 1;
  });
  const shrunkMs = performance.now() - endedAt;
  expect(shrunk.workers).toMatchObject({ idle: 1, running: 0 });
  expect(most).toBe(3);
  console.log(`figure: from one worker to three at work: ${grownMs.toFixed(0)} ms`);
  console.log(`figure: back to one, with an idleTimeout of 1 s: ${shrunkMs.toFixed(0)} ms`);
});

testInFull(
  "workersMin stay however long they are idle, and with workersMin 0 the last worker leaves",
  async () => {
    const endpoints = {
      kept: { ...BY_COUNT, workersMin: 1, workersMax: 3 },
      emptied: { ...BY_COUNT, workersMin: 0, workersMax: 3 },
    };
    await using stage = await Stage.set({ endpoints });
    await using gate = await Gate.build();
    const { idle, initializing } = (await stage.endpoint("emptied").health()).workers;
    expect({ idle, initializing }).toEqual({ idle: 0, initializing: 0 });
    // The worker that stays is done first, so it has been idle for longer when the other one leaves.
    const [, kept] = await Promise.all([
      gate.open("kept"),
      stage.endpoint("kept").runSync(gate.input("kept")),
    ]);
    await Promise.all([
      gate.open("emptied"),
      stage.endpoint("emptied").runSync(gate.input("emptied")),
    ]);
    await healthWhere(stage, "emptied", "no worker", (health) => workerCount(health) === 0);

    expect((await stage.endpoint("kept").health()).workers).toMatchObject({ idle: 1, running: 0 });
    const [, again] = await Promise.all([
      gate.open("again"),
      stage.endpoint("kept").runSync(gate.input("again")),
    ]);
    expect(again.workerId).toBe(kept.workerId);
  },
);

testInFull(
  "the first job of an endpoint without workers starts one at once, whatever delay is allowed",
  async () => {
    const endpoints = {
      asleep: { handler: "echo.ts", workersMin: 0, scalerType: "QUEUE_DELAY", scalerValue: 3600 },
    };
    await using stage = await Stage.set({ endpoints });
    const asleep = stage.endpoint("asleep");
    expect(workerCount(await asleep.health())).toBe(0);
    const startedAt = performance.now();
    const { output, delayTime } = await asleep.runSync({ n: 1 });
    const tookMs = performance.now() - startedAt;
    expect(output).toEqual({ n: 1 });
    expect(workerCount(await asleep.health())).toBe(1);
    console.log(`figure: answer from an endpoint without workers: ${tookMs.toFixed(0)} ms`);
    console.log(`figure: of that, until a worker had the job: ${delayTime} ms`);
  },
);

testInFull(
  "jobs of low priority start no worker, but run on those that other jobs started",
  async () => {
    const asleep = { ...BY_COUNT, workersMin: 0, workersMax: 3 };
    await using stage = await Stage.set({ endpoints: { low: asleep, other: asleep } });
    await using gate = await Gate.build();
    const low = stage.endpoint("low");
    const options = { policy: { lowPriority: true } };
    const patient = [
      await low.run(gate.input("first"), options),
      await low.run(gate.input("second"), options),
    ];
    // Another endpoint gets a worker and finishes its job while these wait.
    await Promise.all([gate.open("other"), stage.endpoint("other").runSync(gate.input("other"))]);
    const waiting = await low.health();
    expect(waiting.jobs).toMatchObject({ inQueue: 2, inProgress: 0 });
    expect(workerCount(waiting)).toBe(0);

    const urgent = await low.run(gate.input("urgent"));
    await gate.arrival("first");
    expect(workerCount(await low.health())).toBe(1);
    for (const name of ["first", "second", "urgent"]) await gate.open(name);
    const done = await Promise.all([...patient, urgent].map(({ id }) => low.wait(id)));
    expect(new Set(done.map(({ workerId }) => workerId)).size).toBe(1);
    expect(gate.names).toEqual(["other", "first", "second", "urgent"]);
  },
);
