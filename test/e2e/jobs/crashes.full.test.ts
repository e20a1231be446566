/** Handlers that crash beside other jobs, or after their own: the other jobs and the next one complete. */
import { expect, test } from "vitest";
import { JobError } from "../../../runtime/client/index.ts";
import { Stage } from "./stage.ts";

const setStage = async (handler: string): Promise<Stage> =>
  Stage.set({ endpoints: { crashes: { handler, workersMax: 1, executionTimeoutMs: 5_000 } } });

test("a promise that rejects after its job was answered does not change the answer", async () => {
  await using stage = await setStage("rejects-later.ts");
  const endpoint = stage.endpoint("crashes");
  const { id, output } = await endpoint.runSync({ after: true });
  expect(output).toBe("answered before");
  await stage.emulator.stderrMatch(
    /An uncaught error ends the handler process: nobody is listening/,
  );
  expect(await endpoint.runSync({ quick: true })).toMatchObject({ output: "quick" });
  expect(await endpoint.status(id)).toMatchObject({ status: "COMPLETED" });
});

const CULPRITS = [
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
];

test.each(CULPRITS)(
  "the neighbours of a job that $way complete without losing an attempt",
  async (culprit) => {
    await using stage = await setStage("misbehaves-as-told.ts");
    const endpoint = stage.endpoint("crashes");
    await endpoint.runSync({ way: "behaves", afterMs: 0 });
    // All jobs are in the process before the culprit acts, and none has an outcome then.
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
  },
);
