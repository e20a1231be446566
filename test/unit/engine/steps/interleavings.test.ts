/** All events of jobs, concurrent and in any order: no acknowledged job is lost, and memory and store agree. */
import { Buffer } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { listRequests } from "../../../../emulator/engine/jobs/read/list-requests.ts";
import { MEMORY_LIMITS } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { deleteEndpoint } from "../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { sized } from "../../../setup/size.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { InterleavedJobs, moodyStore, random } from "./interleaved-jobs.ts";

async function expectNothingLost(
  seed: number,
  endsWith: (scene: InterleavedJobs) => Promise<void>,
): Promise<void> {
  const below = random(seed);
  const weather = { fullOneIn: 0 };
  const limits = { ...MEMORY_LIMITS, windowMax: 3, readAhead: 2, fewWaiting: 2, jobsMax: 20 };
  const store = moodyStore(below, weather);
  await using test = await createTestEngine(store, undefined, { limits });
  const workers = [
    await test.connectWorker("echo", { credit: 1 }),
    await test.connectWorker("echo", { credit: 0 }),
  ];
  const scene = new InterleavedJobs(test, below, workers);
  weather.fullOneIn = seed % 2 === 0 ? 9 : 0;
  for (let step = 0; step < 150; step += 1) {
    scene.act();
    for (let turns = below(3); turns > 0; turns -= 1) await turn();
  }
  weather.fullOneIn = 0;
  await scene.idle();
  expect(scene.defects, `seed ${seed}`).toEqual([]);
  await check(scene, seed);
  await endsWith(scene);
}

async function check(scene: InterleavedJobs, seed: number): Promise<void> {
  const { engine } = scene.test;
  const when = `seed ${seed}`;
  const { jobs } = await listRequests(engine, "echo", { limit: 10_000 });
  const inMemory = new Map(engine.steps.jobsInMemory().map((job) => [job.id, job]));
  const unleased = <J extends { readonly lease: unknown }>(job: J) => ({
    ...job,
    lease: undefined,
  });
  for (const row of jobs) {
    const job = inMemory.get(row.id);
    if (job) expect(unleased(job), when).toEqual(unleased(row));
    if (row.status === "IN_PROGRESS") expect(job?.lease?.token, when).toBe(row.lease?.token);
  }
  const ids = new Set(jobs.map(({ id }) => id));
  expect(
    [...inMemory.keys()].filter((id) => !ids.has(id)),
    when,
  ).toEqual([]);
  expect(
    [...scene.safe].filter((id) => !ids.has(id)),
    when,
  ).toEqual([]);
  const count = (status: string) => jobs.filter((job) => job.status === status).length;
  const counts = await engine.steps.counts("echo");
  expect(counts, when).toMatchObject({
    inQueue: count("IN_QUEUE"),
    inProgress: count("IN_PROGRESS"),
  });
  // No worker with credit lacks a waiting job.
  await scene.test.clock.advance(1_000);
  await scene.test.clock.settle();
  const { inQueue } = await engine.steps.counts("echo");
  expect(Math.min(inQueue, engine.fleet.freeCredit("echo")), when).toBe(0);
}

/** All waiting jobs are handed over in the order of their keys, each with its own input. */
async function drain(scene: InterleavedJobs): Promise<void> {
  const { engine, clock } = scene.test;
  scene.collect();
  const { jobs } = await listRequests(engine, "echo", { limit: 10_000, status: "IN_QUEUE" });
  const order = jobs.toSorted((a, b) => a.queueKey - b.queueKey).map(({ id }) => id);
  const worker = await scene.test.connectWorker("echo", { credit: 1 });
  const handed: string[] = [];
  while (handed.length < order.length) {
    const job = await worker.nextJob();
    handed.push(job.jobId);
    const at = scene.known.indexOf(job.jobId);
    expect(JSON.parse(Buffer.from(job.input).toString())).toHaveProperty("n");
    expect(at).toBeGreaterThanOrEqual(0);
    await worker.complete(job, "done");
    await worker.grant();
  }
  await clock.settle();
  expect(handed).toEqual(order);
}

async function deleteAll(scene: InterleavedJobs): Promise<void> {
  const { engine } = scene.test;
  const late = [scene.submit(), scene.submit(), scene.submit()];
  // Some of the jobs are in memory by then, and not in the store.
  for (let ticks = scene.below(40); ticks > 0; ticks -= 1) await Promise.resolve();
  await Promise.allSettled([deleteEndpoint(engine, "echo"), ...late]);
  expect(await engine.store.jobsOf("echo", 0, 10)).toEqual([]);
  expect(engine.steps.jobsInMemory(({ endpointId }) => endpointId === "echo")).toEqual([]);
}

it("no job is lost or left over, in any order of events", { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= sized(30, 3_000); seed += 1)
    await expectNothingLost(seed, seed % 3 === 0 ? deleteAll : drain);
});
