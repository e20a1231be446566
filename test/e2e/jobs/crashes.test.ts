/** Handlers that crash in their various ways: the right job gets the right certificate, its neighbours and the next job run. */
import { expect, test } from "vitest";
import { JobError, type Job } from "../../../runtime/client/index.ts";
import { Stage } from "./stage.ts";

const setStage = async (handler: string): Promise<Stage> =>
  Stage.set({ endpoints: { crashes: { handler, workersMax: 1, executionTimeoutMs: 5_000 } } });

/** Runs the job, which must not complete, and the next one, which must. */
async function crash(stage: Stage, input: object): Promise<Job> {
  const endpoint = stage.endpoint("crashes");
  const error = await endpoint.runSync(input).catch((thrown: unknown) => thrown);
  if (!(error instanceof JobError)) throw new Error("it completed", { cause: error });
  expect(await endpoint.runSync({ quick: true })).toMatchObject({
    output: "quick",
    workerId: error.job.workerId,
  });
  return error.job;
}

test("a handler that calls process.exit is run once more, then FAILED with the exit code", async () => {
  await using stage = await setStage("exits-7.ts");
  const job = await crash(stage, {});
  expect(job).toMatchObject({
    status: "FAILED",
    retries: 1,
    failure: {
      type: "process_exited",
      message:
        "The handler process was ended by the handler's process.exit with code 7 while it worked on the job.",
      exitCode: 7,
      workerId: job.workerId,
      lastLogLines: ["about to exit"],
    },
  });
  expect(job.failure).not.toHaveProperty("signal");
});

test("a handler that throws a string fails at once with that string, and is not run again", async () => {
  await using stage = await setStage("throws-a-string.ts");
  const job = await crash(stage, {});
  expect(job).toMatchObject({
    status: "FAILED",
    error: expect.stringContaining("no such voice: baritone"),
    failure: {
      type: "handler_error",
      message: expect.stringContaining("no such voice: baritone"),
      workerId: job.workerId,
    },
  });
  expect(job.retries ?? 0).toBe(0);
  expect(job.failure).not.toHaveProperty("exitCode");
});

test("a promise that rejects unheard fails the job that left it behind, and no other", async () => {
  await using stage = await setStage("rejects-later.ts");
  const job = await crash(stage, {});
  expect(job).toMatchObject({
    status: "FAILED",
    failure: {
      type: "unhandled_error",
      message: expect.stringContaining("nobody is listening"),
      stack: expect.stringContaining("rejects-later.ts"),
      workerId: job.workerId,
      lastLogLines: ["waiting"],
    },
  });
  expect(job.retries ?? 0).toBe(0);
});

test("a promise that rejects after its job was answered leaves the answer as it is", async () => {
  await using stage = await setStage("rejects-later.ts");
  const endpoint = stage.endpoint("crashes");
  const { id, output } = await endpoint.runSync({ after: true });
  expect(output).toBe("answered before");
  await stage.emulator.stderrMatch(/nobody caught ends the handler process: nobody is listening/);
  expect(await endpoint.runSync({ quick: true })).toMatchObject({ output: "quick" });
  expect(await endpoint.status(id)).toMatchObject({ status: "COMPLETED" });
});

test.each([
  {
    way: "exits",
    ending: { status: "FAILED", retries: 1, failure: { type: "process_exited", exitCode: 7 } },
  },
  {
    way: "is-killed",
    ending: {
      status: "FAILED",
      retries: 1,
      failure: { type: "process_exited", signal: "SIGKILL" },
    },
  },
  {
    way: "rejects",
    ending: { status: "FAILED", failure: { type: "unhandled_error", message: "as told" } },
  },
  { way: "blocks", ending: { status: "TIMED_OUT", failure: { type: "execution_timeout" } } },
])("the neighbours of a job that $way complete without losing an attempt", async (culprit) => {
  await using stage = await setStage("misbehaves-as-told.ts");
  const endpoint = stage.endpoint("crashes");
  await endpoint.runSync({ way: "behaves", afterMs: 0 });
  // All are in the process before the culprit acts, and none has an outcome by then.
  const neighbours = await Promise.all(
    [1, 2, 3].map(async () =>
      endpoint.run({ way: "behaves", afterMs: 1_500 }, { policy: { executionTimeout: 60_000 } }),
    ),
  );
  const { id } = await endpoint.run({ way: culprit.way, afterMs: 500 });
  const ended = await endpoint.wait(id).catch((error: unknown) => error);
  if (!(ended instanceof JobError)) throw new Error("it completed", { cause: ended });
  expect(ended.job).toMatchObject(culprit.ending);

  for (const neighbour of neighbours) {
    const job = await endpoint.wait(neighbour.id);
    expect(job.output).toBe("well");
    expect(job.retries ?? 0).toBe(0);
  }
  const next = await endpoint.runSync({ way: "behaves", afterMs: 0 });
  expect(next.workerId).toBe(ended.job.workerId);
});
