/** A machine that sleeps for an hour with all its processes: no worker is lost for it, and no job loses an attempt. */
import { describe, expect, test } from "vitest";
import { JobTimedOutError } from "../../../runtime/client/index.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { type ClocksInSleep, fakeTimeIn, fakeTimeIsMissing } from "../../setup/fake-time.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually, processesMarked } from "./observe.ts";
import { Stage } from "./stage.ts";

const SLEEP_SECONDS = 3_600;
/** Much shorter than the sleep, and longer than the job works on a busy machine. */
const EXECUTION_TIMEOUT_MS = 300_000;
const PAUSE_MS = 100;
/** The job works longer than a lease and the service's grace. */
const CHUNKS = Array.from(
  { length: (2 * (LIMITS.leaseMs + LIMITS.executionGraceMs)) / PAUSE_MS },
  (_, number) => number,
);

async function setScene(clocks: ClocksInSleep) {
  const tree = await temporaryTree({});
  const time = fakeTimeIn(tree.root, clocks);
  const mark = crypto.randomUUID();
  const stage = await Stage.set({
    endpoints: {
      works: {
        handler: "streams-its-history.ts",
        workersMin: 1,
        workersMax: 1,
        executionTimeoutMs: EXECUTION_TIMEOUT_MS,
      },
    },
    env: { ...time.env, SLEEPS: mark },
  });
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    for (const { pid } of processesMarked(`SLEEPS=${mark}`)) process.kill(pid, name);
  };
  return {
    stage,
    works: stage.endpoint("works"),
    sleep() {
      signal("SIGSTOP");
      time.setForward(SLEEP_SECONDS);
      signal("SIGCONT");
    },
    async [Symbol.asyncDispose]() {
      signal("SIGCONT");
      await stage[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

describe.runIf(fakeTimeIsMissing === undefined)("a machine that sleeps", () => {
  test.concurrent.each<[string, ClocksInSleep]>([
    ["Linux", "wall"],
    ["a Mac", "all"],
  ])(
    "like %s: the running job continues with all its time, and the next one runs",
    async (_, clocks) => {
      await using scene = await setScene(clocks);
      const { stage, works } = scene;
      const job = await works.run({ marker: "asleep", chunks: CHUNKS, pauseMs: PAUSE_MS });
      const waiting = await works.run({ marker: "waits", chunks: [1], pauseMs: 0 });
      await eventually("the job has begun", async () =>
        (await works.status(job.id)).status === "IN_PROGRESS" ? true : undefined,
      );
      const { workerId } = await works.status(job.id);
      scene.sleep();

      const done = await works.wait(job.id, { timeoutMs: 200_000 });
      expect(done).toMatchObject({ status: "COMPLETED", workerId });
      expect(done.retries ?? 0).toBe(0);
      expect(await works.wait(waiting.id)).toMatchObject({ status: "COMPLETED", workerId });
      expect((await works.health()).jobs).toMatchObject({ completed: 2, failed: 0, retried: 0 });
      const said = stage.emulator.stderrLines.join("\n");
      expect(said).not.toMatch(/did not renew|said nothing|unresponsive|is lost/u);
      expect(/the service stood still for 36\d{5} ms/u.test(said)).toBe(clocks === "all");

      const late = await works.run(
        { marker: "late", chunks: CHUNKS, pauseMs: PAUSE_MS },
        { policy: { executionTimeout: 5_000 } },
      );
      await expect(works.wait(late.id)).rejects.toBeInstanceOf(JobTimedOutError);
    },
  );
});
