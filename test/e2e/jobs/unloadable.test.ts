/** Handlers that cannot be loaded: the reason is told, jobs wait, other endpoints work, and nothing spins. */
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures/handlers");
const GOOD = "export default (job) => `served ${job.input.name}`;\n";
const BROKEN = "export default (job: unknown) => {\n  return job.;\n};\n";

/** What the log says of one endpoint's workers. */
function logOf(stage: Stage, endpointId: string) {
  const entries = stage.emulator.stderrLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((entry) => entry["endpointId"] === endpointId);
  return {
    errors: entries
      .filter(({ level }) => level === "error")
      .map(({ msg }) => String(msg))
      .join("\n"),
    startedAt: entries
      .filter(({ msg }) => msg === "worker started")
      .map(({ time }) => new Date(time as string | number).getTime()),
  };
}

const reasons = [
  ["throws-on-import", /import-fails\.ts cannot be imported: the weights are not here/],
  ["has-no-default", /no-default-export\.ts.*default/s],
  ["has-a-syntax-error", /broken\.ts:2:\d+: /],
  ["is-missing", /missing\.js/],
] as const;

test("handlers that cannot be loaded say why, keep their jobs waiting and leave other endpoints alone, without spinning", async () => {
  await using tree = await temporaryTree({ "broken.ts": BROKEN, "missing.js": GOOD });
  const own = (file: string) => path.relative(fixtures, tree.path(file));
  await using stage = await Stage.set({
    endpoints: {
      "throws-on-import": { handler: "import-fails.ts" },
      "has-no-default": { handler: "no-default-export.ts" },
      "has-a-syntax-error": { handler: own("broken.ts") },
      // No worker looks at the file before there is a job.
      "is-missing": { handler: own("missing.js"), workersMin: 0 },
      works: { handler: "echo.ts" },
    },
  });
  await fs.rm(tree.path("missing.js"));
  const waiting = await Promise.all(
    reasons.map(async ([id]) => {
      const endpoint = stage.endpoint(id);
      const { id: jobId } = await endpoint.run({ name: id });
      return { endpoint, jobId };
    }),
  );
  await Promise.all(
    reasons.map(async ([id]) =>
      eventually(`three workers of ${id} were started`, async () => {
        // Neither questions nor jobs hasten the next try.
        await stage.endpoint(id).health();
        await stage.endpoint("works").runSync({ beside: id });
        return logOf(stage, id).startedAt.length >= 3 ? true : undefined;
      }),
    ),
  );

  for (const [id, reason] of reasons) {
    const { errors, startedAt } = logOf(stage, id);
    expect.soft(errors, id).toMatch(reason);
    expect.soft(errors, id).toContain("worker could not initialize; the next try is in");
    const pausesMs = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    console.log(`figure: pauses between the starts of ${id}: ${pausesMs.join(", ")} ms`);
    // The waits are 1 s, 2 s, 4 s, …, counted from the end of the one before; the log's clock is read a little later.
    for (const [index, pauseMs] of pausesMs.entries()) {
      expect.soft(pauseMs, id).toBeGreaterThan(1_000 * 2 ** index - 50);
    }
  }
  for (const { endpoint, jobId } of waiting) {
    const health = await eventually(`${endpoint.id} is unhealthy`, async () => {
      const now = await endpoint.health();
      return now.workers["unhealthy"] === 1 ? now : undefined;
    });
    expect(health).toMatchObject({
      jobs: { inQueue: 1, inProgress: 0, failed: 0, completed: 0 },
      workers: { unhealthy: 1, idle: 0, running: 0 },
    });
    expect(await endpoint.status(jobId)).toEqual({ id: jobId, status: "IN_QUEUE" });
  }

  await fs.writeFile(tree.path("missing.js"), GOOD);
  await fs.writeFile(tree.path("broken.ts"), GOOD);
  for (const { endpoint, jobId } of waiting.slice(2)) {
    expect(await endpoint.wait(jobId)).toMatchObject({ output: `served ${endpoint.id}` });
    expect(await endpoint.health()).toMatchObject({ workers: { unhealthy: 0, idle: 1 } });
  }
});
