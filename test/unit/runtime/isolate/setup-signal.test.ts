/** A setup that uses its signal learns when it is no longer needed, and has a grace to clean up. */
import { describe, expect, test } from "vitest";
import { WorkerRun } from "../worker-run.ts";

const HANDLER = "setup-takes-its-signal";
const SETTLES_IN_TIME = { graceMs: 10_000 };

describe("a worker that must end during its handler's setup", () => {
  test("tells the setup, and ends when the setup has cleaned up", async () => {
    await using run = new WorkerRun(HANDLER, SETTLES_IN_TIME);
    await run.logged("setting up");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(run.printed(undefined)).toEqual(["setting up", "told to stop"]);
  });

  test("disposes of a state that was set up all the same", async () => {
    const env = { TEST_WHEN_TOLD: "returns" };
    await using run = new WorkerRun(HANDLER, { ...SETTLES_IN_TIME, env });
    await run.logged("setting up");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(run.printed(undefined)).toEqual(["setting up", "told to stop", "disposed of a model"]);
  });

  test("waits for the setup no longer than the grace", async () => {
    await using run = new WorkerRun(HANDLER, { graceMs: 1_000, env: { TEST_WHEN_TOLD: "hangs" } });
    await run.logged("setting up");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(run.printed(undefined)).toEqual(["setting up", "told to stop"]);
  });

  test("does not wait for a setup that does not use its signal", async () => {
    await using run = new WorkerRun("setup-hangs", { graceMs: 600_000 });
    await run.logged("connected to the service");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
  });
});

// These tests wait for limits of seconds, and can do so together.
test.concurrent.each(["throws", "returns", "hangs"])(
  "a setup that exceeds its limit is told, and the limit is reported (it %s then)",
  async (whenTold) => {
    await using run = new WorkerRun(HANDLER, {
      initLimitMs: 2_000,
      graceMs: 1_000,
      env: { TEST_WHEN_TOLD: whenTold },
    });
    expect(await run.source.initFailure.promise).toEqual({
      type: "handler_error",
      message: "The handler was not ready after 2 s: its module or its setup takes too long.",
    });
    expect(await run.worker.ended).toBe("handler-unusable");
    expect(run.printed(undefined)).toContain("told to stop");
  },
);

test.concurrent("a setup that ends at its limit without being told gets no job, and its state is disposed of", async () => {
  await using run = new WorkerRun(HANDLER, {
    initLimitMs: 3_000,
    env: { TEST_BLOCKS_MS: "3000" },
    ...SETTLES_IN_TIME,
  });
  expect(await run.source.initFailure.promise).toMatchObject({
    message: "The handler was not ready after 3 s: its module or its setup takes too long.",
  });
  expect(await run.worker.ended).toBe("handler-unusable");
  expect(run.source.announced).toEqual([]);
  expect(run.printed(undefined)).toEqual(["setting up", "disposed of a late model"]);
});
