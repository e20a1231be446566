/** Slow runs side by side: together they take no longer than the longest of them. */
import fs from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { MachineStalls } from "../../machine-stalls.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { SeededRandom, seedOfThisRun } from "../crash/seeded-random.ts";
import { Stage } from "../jobs/stage.ts";
import { STRIKES } from "./soak/scene.ts";
import { soak } from "./soak/soak.ts";
import { JOBS } from "./soak/ways.ts";
import { isSupervisor, type Output, setStoppableScene } from "./stoppable-scene.ts";
import { TEST_MS } from "../../setup/patience.ts";

const SOAK_LIMIT_MS = 300_000;
/** Duration of a block: longer than a lease. */
const BLOCKED_MS = 60_000;
/** Each run may have to wait for the others. */
const LIMIT_MS = 2 * TEST_MS;

describe.concurrent("the built service", { timeout: LIMIT_MS }, () => {
  test(
    "good and bad jobs on four workers that are killed and frozen all end as expected",
    async () => {
      const random = new SeededRandom(seedOfThisRun());
      console.log(`seed: ${random.seed} (CRASH_SEED=${random.seed} repeats its choices)`);
      const { figures, ...report } = await soak(random, SOAK_LIMIT_MS);
      console.log("figure: soak", JSON.stringify(figures));
      expect(report).toEqual({
        violations: [],
        wrongEnds: [],
        exitCode: 0,
        processesLeft: [],
        filesLeft: [],
        strikes: STRIKES,
      });
      // The run must have had the events that it is made for.
      expect(figures.jobs).toBe(JOBS);
      expect(figures.workersGivenUp).toBeGreaterThan(0);
      expect(figures.ofThemForged).toBeGreaterThan(0);
    },
    SOAK_LIMIT_MS + TEST_MS,
  );

  test("a handler that blocks its event loop for longer than a lease keeps its lease and completes once", async () => {
    await using tree = await temporaryTree({ attempts: "" });
    const env = { TAP_FILE: tree.path("attempts") };
    await using stage = await Stage.set({
      endpoints: { blocks: { handler: "blocks-for-a-while.ts", workersMax: 2, env } },
    });
    const blocks = stage.endpoint<number>("blocks");
    const { id } = await blocks.run(
      { ms: BLOCKED_MS },
      { policy: { executionTimeout: BLOCKED_MS + 10_000 } },
    );
    const job = await blocks.wait(id, { timeoutMs: 150_000 });
    expect(job.output).toBe(1);
    expect(job.retries ?? 0).toBe(0);
    expect(job.executionTime).toBeGreaterThanOrEqual(BLOCKED_MS);
    expect(job.executionTime).toBeLessThan(BLOCKED_MS + 10_000);
    expect(await fs.readFile(tree.path("attempts"), "utf8")).toBe("attempt 1\n");
    expect((await blocks.health()).jobs).toMatchObject({ completed: 1, failed: 0, retried: 0 });
  });

  test("a draining service does not wait for a frozen worker", async () => {
    await using scene = await setStoppableScene();
    for (const { pid } of scene.processes()) process.kill(pid, "SIGSTOP");
    await using stalls = await MachineStalls.watch();
    const askedAt = performance.now();
    // Checks that it ends well and that nothing is left.
    await scene.stage.stop();
    const tookMs = performance.now() - askedAt;
    console.log(`figure: a drain with a stopped worker took ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(LIMITS.leaseMs + 10_000 + stalls.ms);
  });

  test("a service that is frozen for longer than a lease loses no worker and no job", async () => {
    await using scene = await setStoppableScene();
    const { stage, happened, history } = scene;
    const slow = stage.endpoint<Output>("slow");
    const { id } = await slow.run({ marker: "slow", workMs: LIMITS.leaseMs + 10_000 });
    await happened("started 1");
    const before = scene.processes().filter(isSupervisor);
    stage.emulator.child.kill("SIGSTOP");
    try {
      await delay(LIMITS.leaseMs + 5_000);
    } finally {
      stage.emulator.child.kill("SIGCONT");
    }
    await stage.emulator.stderrMatch(/the service stood still for \d+ ms/);
    const job = await slow.wait(id, { timeoutMs: 120_000 });
    expect(job).toMatchObject({ output: { marker: "slow", attempt: 1 } });
    expect(await history()).toEqual(["started 1", "finished 1"]);
    expect(scene.processes().filter(isSupervisor)).toEqual(before);
    expect((await slow.health()).jobs).toMatchObject({ completed: 1, retried: 0 });
  });
});
