/** Workers that take every job of an endpoint and end it in all ways by turns, and workers that take none. */
import { Buffer } from "node:buffer";
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import type { EngineContext } from "../../emulator/engine/parts/engine-parts.ts";
import type { WorkerOrder } from "../../emulator/launch/launcher.ts";
import { type LaunchedScript, ScriptedLauncher } from "../unit/engine/scripted-launcher.ts";
import type { TestEngine } from "../unit/engine-harness.ts";
import type { ScriptedWorker } from "../unit/scripted-worker.ts";

const CREDIT = 64;

/** The input of a job that always fails. */
export const FAILING_INPUT = { fails: true };
const FAILING = Buffer.from(JSON.stringify(FAILING_INPUT));

type Ending = (worker: ScriptedWorker, job: HandedJob) => Promise<void>;

const ENDINGS: readonly Ending[] = [
  (worker, job) => worker.complete(job, job.input),
  async (worker, job) => {
    await worker.chunks(job, [{ text: "a" }, "b", 3]);
    await worker.complete(job);
  },
  (worker, job) => worker.fail(job, { stack: "Error: it failed\n    at once" }),
  async (worker, job) => {
    await worker.chunks(job, [null]);
    await worker.progress(job, { done: 0.5 });
    await worker.complete(job, [1, "two"]);
  },
  (worker, job) => worker.finish(job, { kind: "timed-out", failure: timedOut }),
  // Its lease ends.
  async () => undefined,
];

const timedOut = { type: "execution_timeout", message: "it took too long" } as const;

/** Serves `endpointId` until the returned function is called. Errors of a worker's report go to `failed`. */
export async function startBusyWorker(
  test: TestEngine,
  endpointId: string,
  failed: (error: unknown) => void,
): Promise<() => void> {
  const worker = await test.connectWorker(endpointId, { credit: CREDIT });
  let stopped = false;
  const serve = async () => {
    for (let turn = 0; ; turn += 1) {
      const job = await worker.nextJob();
      if (stopped) return;
      if (FAILING.equals(job.input)) await worker.fail(job);
      else await ENDINGS[turn % ENDINGS.length]?.(worker, job);
      await worker.grant();
    }
  };
  void serve().catch(failed);
  return () => {
    stopped = true;
  };
}

/** Starts workers that are ready at once and take no job: only workers that the service started can be killed or frozen. */
export class IdleLauncher extends ScriptedLauncher {
  engine: EngineContext | undefined;

  override launch(order: WorkerOrder): LaunchedScript {
    const script = super.launch(order);
    // A worker that has ended does not connect.
    setImmediate(() => {
      if (this.engine?.fleet.find(order.workerId)) void script.connect(this.engine, 0);
    });
    return script;
  }
}
