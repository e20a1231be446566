/** A child process as a worker: what it inherits, what it writes, and how it ends with everything it started. */
import type { ChildProcess } from "node:child_process";
import { endMarked, killTree, signalMarked } from "../../../runtime/pipe/process-tree.ts";
import { WORKER_ENV } from "../../../runtime/protocol/worker-env.ts";
import { system } from "../../../runtime/system/system.ts";
import type { LauncherKind } from "../../core/workers/worker-life.ts";
import type { LaunchedWorker, WorkerExit, WorkerOrder } from "../launcher.ts";
import { whenWeAreGone } from "./guard.ts";
import { LineTail } from "../runs/line-tail.ts";
import { realGpuIds, toldGpus } from "../worker-environment.ts";
import { exitWith } from "../runs/worker-exit.ts";

/** Variables of the emulator's own environment that are not the workers' business. */
const PRIVATE_VARIABLE = /^SV_/u;

/** What of the emulator's environment its workers get. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  return Object.fromEntries(all.filter(([name]) => !PRIVATE_VARIABLE.test(name)));
}

/**
 * @param child its output is piped, and its environment has the worker's id
 * @param line called with each line it writes
 */
export function asWorker(
  kind: LauncherKind,
  child: ChildProcess,
  workerId: string,
  line: (line: string) => void,
): LaunchedWorker {
  const tail = new LineTail(line);
  child.stdout?.on("data", (bytes: Buffer) => tail.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => tail.push(bytes));
  return {
    kind,
    exited: exitOf(child, tail).then(async (exit) => {
      // What it started ends by itself as soon as the worker is gone, unless it is stopped or hangs.
      await endMarked(WORKER_ENV.workerId, workerId);
      return exit;
    }),
    drain: () => void child.kill("SIGTERM"),
    kill: () => {
      // What it started ends by itself when the worker is gone, unless it is stopped.
      if (child.pid !== undefined && runs(child))
        killTree(child.pid, WORKER_ENV.workerId, workerId);
    },
    place: () => ({ pid: child.pid }),
    freeze: freezer(child, workerId),
    memoryBytes: () => (child.pid === undefined ? undefined : system().residentBytes(child.pid)),
  };
}

/** The worker is the first to stop and the last to go on: it is not to see that what it started stands still. */
function freezer(child: ChildProcess, workerId: string): (isFrozen: boolean) => Promise<void> {
  let callOff = (): void => undefined;
  child.once("exit", () => callOff());
  return async (isFrozen) => {
    if (!runs(child)) throw new Error("it has ended");
    if (isFrozen && !child.kill("SIGSTOP")) throw new Error("it does not run");
    const signal = isFrozen ? "SIGSTOP" : "SIGCONT";
    const pids = signalMarked(WORKER_ENV.workerId, workerId, signal, child.pid);
    if (!isFrozen && !child.kill("SIGCONT")) throw new Error("it does not run");
    callOff();
    // A worker ends by itself when we are gone, unless it stands still.
    if (isFrozen) callOff = whenWeAreGone('kill -CONT "$@"', [...pids, child.pid ?? process.pid]);
  };
}

function runs({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/**
 * What the worker is told of its GPUs. One that has none of its own sees what its emulator sees; so does one whose GPUs are
 * simulated, for nothing stands behind their numbers.
 */
export function gpuEnv({ gpus }: Pick<WorkerOrder, "gpus">): NodeJS.ProcessEnv {
  const ids = realGpuIds({ gpus });
  return {
    ...toldGpus({ gpus }),
    ...(ids.length > 0 && { CUDA_VISIBLE_DEVICES: ids.join(",") }),
  };
}

function exitOf(child: ChildProcess, tail: LineTail): Promise<WorkerExit> {
  const { promise, resolve } = Promise.withResolvers<WorkerExit>();
  child.once("error", ({ message }) =>
    resolve(exitWith({ startError: message, lastLogLines: tail.end() })),
  );
  child.once("close", (code, signal) => {
    const how = { exitCode: code ?? undefined, signal: signal ?? undefined };
    resolve(exitWith({ ...how, lastLogLines: tail.end() }));
  });
  return promise;
}
