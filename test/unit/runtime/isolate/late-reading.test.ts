/** The output of a job is in the failure report, however late the supervisor reads it. */
import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { WorkerRun } from "../worker-run.ts";

/** Time: long enough for a handler to print and fail. */
const BUSY_MS = 20;

test("a supervisor that reads the last lines and the failure at once reports both", async () => {
  await using run = new WorkerRun("checks-its-schemas");
  await run.source.submit({ input: { count: "7" } }).result();
  const certified: unknown[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const job = run.source.submit({ input: { count: "7", names: ["wrong"] } });
    const result = job.result();
    // The order has been sent by then, and both answers are ready at the next turn of the loop.
    await new Promise(setImmediate);
    for (const until = performance.now() + BUSY_MS; performance.now() < until;);
    certified.push(await result);
  }
  expect(certified).toEqual(
    certified.map(() => ({
      kind: "failed",
      failure: expect.objectContaining({ lastLogLines: expect.arrayContaining(["called"]) }),
    })),
  );
});
