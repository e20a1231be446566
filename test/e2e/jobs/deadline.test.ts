/** A handler that computes forever, against executionTimeout, in real processes. */
import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { JobTimedOutError, type EndpointClient } from "../../../runtime/client/index.ts";
import { MachineStalls } from "../../machine-stalls.ts";
import { Stage } from "./stage.ts";

const EXECUTION_TIMEOUT_MS = 5_000;

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Duration of each of at least `count` jobs, one after the other, until `isEnough`; ms, sorted. */
async function roundTrips(
  endpoint: EndpointClient,
  count: number,
  isEnough: () => boolean = () => true,
): Promise<number[]> {
  const tookMs: number[] = [];
  while (tookMs.length < count || !isEnough()) {
    const startedAt = performance.now();
    const { output } = await endpoint.runSync({ n: tookMs.length });
    expect(output).toEqual({ n: tookMs.length });
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs.toSorted((a, b) => a - b);
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? NaN;

test("a handler that blocks the event loop is TIMED_OUT on time, its worker continues, and other endpoints do not wait for it", async () => {
  await using stage = await Stage.set({
    endpoints: {
      blocks: {
        handler: "blocks-the-loop.ts",
        workersMax: 1,
        executionTimeoutMs: EXECUTION_TIMEOUT_MS,
      },
      echo: { handler: "echo.ts", workersMax: 1 },
    },
  });
  const blocks = stage.endpoint<string>("blocks");
  const echo = stage.endpoint("echo");
  const { workerId } = await blocks.runSync({ quick: true });
  await roundTrips(echo, 50);
  const alone = await roundTrips(echo, 200);

  await using stalls = await MachineStalls.watch();
  const { id } = await blocks.run({ computes: true });
  await stage.emulator.stderrMatch(/"blocking"/);
  let hasEnded = false;
  const ended = caught(blocks.wait(id)).finally(() => {
    hasEnded = true;
  });
  const beside = await roundTrips(echo, 100, () => hasEnded);
  const error = await ended;
  if (!(error instanceof JobTimedOutError)) throw error;
  const { job } = error;
  const executionTimeMs = job.executionTime ?? 0;
  console.log(`figure: executionTimeout 5000 ms, TIMED_OUT after ${executionTimeMs} ms`);
  console.log(
    `figure: p50 of runsync on another endpoint ${median(alone).toFixed(2)} ms alone, ` +
      `${median(beside).toFixed(2)} ms beside the blocked one (${beside.length} jobs, ` +
      `slowest ${beside.at(-1)?.toFixed(1)} ms)`,
  );
  expect(job).toMatchObject({
    status: "TIMED_OUT",
    workerId,
    failure: {
      type: "execution_timeout",
      message: "The job ran longer than its executionTimeout of 5000 ms.",
      lastLogLines: ["blocking"],
    },
  });
  expect(executionTimeMs).toBeGreaterThanOrEqual(EXECUTION_TIMEOUT_MS);
  expect(executionTimeMs).toBeLessThanOrEqual(7_500 + stalls.ms);
  // A job that waited for the blocked job would have taken as long.
  expect(beside.at(-1)).toBeLessThan(EXECUTION_TIMEOUT_MS / 2 + stalls.ms);

  const next = await blocks.runSync({ quick: true });
  expect(next.workerId).toBe(workerId);
  expect(await blocks.status(id)).toMatchObject({ status: "TIMED_OUT" });
});
