/** A job at a breakpoint, from the debugger through the worker to the service, in real processes. */
import { expect, test } from "vitest";
import { JobTimedOutError } from "../../../runtime/client/index.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { DebuggerClient, freeAddress } from "../../debugger-client.ts";
import { Stage } from "./stage.ts";

const EXECUTION_TIMEOUT_MS = 5_000;
/** Time after which the service ends a job that its worker should have ended. */
const OVERRUN_MS = EXECUTION_TIMEOUT_MS + LIMITS.executionGraceMs;

test("neither worker nor service ends a job at a breakpoint; afterwards executionTimeout counts again", async () => {
  const inspect = await freeAddress();
  await using stage = await Stage.set({
    endpoints: {
      stops: {
        handler: "stops-at-breakpoints.ts",
        workersMax: 1,
        executionTimeoutMs: EXECUTION_TIMEOUT_MS,
        env: { SV_INSPECT: inspect },
      },
    },
  });
  const { emulator } = stage;
  const stops = stage.endpoint("stops");
  await emulator.stderrMatch(/Debugger listening/);
  await using debug = await DebuggerClient.attach(inspect);

  const { id } = await stops.run({});
  await debug.stopped();
  // The service measures this time itself.
  const waiting = await fetch(
    `${emulator.url}/v2/stops/status-sync/${id}?wait=${OVERRUN_MS + 1_500}`,
    {
      headers: { authorization: `Bearer ${emulator.apiKey}` },
    },
  );
  expect(await waiting.json()).toMatchObject({ id, status: "IN_PROGRESS" });
  await debug.resume();
  const job = await stops.wait(id);
  expect(job).toMatchObject({ status: "COMPLETED" });
  expect(job.executionTime).toBeGreaterThan(OVERRUN_MS);

  const late = await stops.run({ forever: true });
  await debug.stopped();
  await debug.resume();
  const error: unknown = await stops.wait(late.id).catch((thrown: unknown) => thrown);
  if (!(error instanceof JobTimedOutError)) throw error;
  expect(error.job.failure).toMatchObject({
    message: "The job ran longer than its executionTimeout of 5000 ms.",
  });
});
