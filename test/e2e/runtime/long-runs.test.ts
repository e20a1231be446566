/** Runs that take their time, side by side: together they take no longer than the longest of them. */
import fs from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { Stage } from "../jobs/stage.ts";
import {
  aDrainDoesNotWaitForAStoppedWorker,
  aStoppedServiceLosesNoWorker,
  aStoppedWorkerIsReplaced,
} from "./silence.ts";
import { soak } from "./soak/soak.ts";

const SOAK_LIMIT_MS = 300_000;

describe.concurrent("side by side", () => {
  test(
    "2,000 good and bad jobs on four workers that are killed and stopped end as each implies",
    { timeout: SOAK_LIMIT_MS + 60_000 },
    async () => soak(SOAK_LIMIT_MS),
  );

  test("a handler that blocks its event loop for 60 s keeps its lease and completes once", async () => {
    await using tree = await temporaryTree({ attempts: "" });
    const env = { TAP_FILE: tree.path("attempts") };
    await using stage = await Stage.set({
      endpoints: { blocks: { handler: "blocks-for-a-while.ts", workersMax: 2, env } },
    });
    const blocks = stage.endpoint<number>("blocks");
    const { id } = await blocks.run({ ms: 60_000 }, { policy: { executionTimeout: 70_000 } });
    const job = await blocks.wait(id, { timeoutMs: 100_000 });
    expect(job.output).toBe(1);
    expect(job.retries ?? 0).toBe(0);
    expect(job.executionTime).toBeGreaterThanOrEqual(60_000);
    expect(job.executionTime).toBeLessThan(70_000);
    expect(await fs.readFile(tree.path("attempts"), "utf8")).toBe("attempt 1\n");
    expect((await blocks.health()).jobs).toMatchObject({ completed: 1, failed: 0, retried: 0 });
  });

  test("a worker that is stopped is replaced, and nothing of it is left", aStoppedWorkerIsReplaced);

  test(
    "a service that drains does not wait for a worker that is stopped",
    aDrainDoesNotWaitForAStoppedWorker,
  );

  test(
    "a service that is stopped for longer than a lease loses no worker and no job",
    aStoppedServiceLosesNoWorker,
  );
});
