/** A child process as a worker: its environment, its output, and its end with everything that it started. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { Socket } from "node:net";
import { endMarked, killTree, signalMarked } from "../../../runtime/pipe/process-tree.ts";
import {
  NODE_OPTIONS,
  withoutDebugger,
} from "../../../runtime/protocol/environment/node-options.ts";
import { system } from "../../../runtime/system/system.ts";
import type { LauncherKind } from "../../core/workers/worker-life.ts";
import type { LaunchedWorker, WorkerExit, WorkerOrder } from "../launcher.ts";
import { driverMet } from "../runs/limits-met.ts";
import { LineTail } from "../runs/line-tail.ts";
import { realGpuIds, toldGpus } from "../worker-environment.ts";
import { exitWith } from "../runs/worker-exit.ts";

/** Variables of our programs. Workers do not get those of the emulator's environment. */
export const OUR_VARIABLE = /^SV_/u;

/** The part of the emulator's environment that workers get. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  const env = Object.fromEntries(all.filter(([name]) => !OUR_VARIABLE.test(name)));
  const { [NODE_OPTIONS]: options } = env;
  return options === undefined ? env : { ...env, [NODE_OPTIONS]: withoutDebugger(options) };
}

export interface WorkerProgram extends Pick<WorkerOrder, "gpus"> {
  /** Called with each line that the worker writes. */
  readonly line: (line: string) => void;
}

/**
 * @param child has piped output
 * @param mark name and value of a variable in the environment of the worker and all that it starts
 */
export function asWorker(
  kind: LauncherKind,
  child: ChildProcess,
  mark: readonly [name: string, value: string],
  { gpus, line }: WorkerProgram,
): LaunchedWorker {
  let limit: string | undefined;
  const tail = new LineTail((text) => {
    line(text);
    limit ??= driverMet(text, gpus);
  });
  unref(child);
  child.stdout?.on("data", (bytes: Buffer) => tail.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => tail.push(bytes));
  return {
    kind,
    exited: exitOf(child, tail).then(async (exit) => {
      // Processes that the worker started end by themselves when it is gone, unless they are stopped or hang.
      await endMarked(...mark);
      const hasFailed = exit.startError === undefined && exit.exitCode !== 0;
      return hasFailed && limit !== undefined ? { ...exit, limit } : exit;
    }),
    drain: () => void child.kill("SIGTERM"),
    kill: () => {
      // Processes that the worker started end by themselves when it is gone, unless they are stopped.
      if (child.pid !== undefined && runs(child)) killTree(child.pid, ...mark);
    },
    place: () => ({ pid: child.pid }),
    freeze: freezer(child, mark),
    memoryBytes: () => (child.pid === undefined ? undefined : system().residentBytes(child.pid)),
  };
}

/** Stops the worker before its processes and continues it after them, so that it never sees them stand still. */
function freezer(
  child: ChildProcess,
  mark: readonly [name: string, value: string],
): (isFrozen: boolean) => Promise<void> {
  let callOff = (): void => undefined;
  child.once("exit", () => callOff());
  return async (isFrozen) => {
    if (!runs(child)) throw new Error("it has ended");
    if (isFrozen && !child.kill("SIGSTOP")) throw new Error("it does not run");
    const signal = isFrozen ? "SIGSTOP" : "SIGCONT";
    const pids = signalMarked(...mark, signal, child.pid);
    if (!isFrozen && !child.kill("SIGCONT")) throw new Error("it does not run");
    callOff();
    // A worker ends by itself when the emulator is gone, unless it is stopped.
    if (isFrozen) callOff = whenWeAreGone('kill -CONT "$@"', [...pids, child.pid ?? process.pid]);
  };
}

function runs({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The variables for a worker's GPUs. A worker without GPUs, or with simulated ones, sees the GPUs that the emulator sees. */
export function gpuEnv({ gpus }: Pick<WorkerOrder, "gpus">): NodeJS.ProcessEnv {
  const ids = realGpuIds({ gpus });
  return {
    ...toldGpus({ gpus }),
    ...(ids.length > 0 && { CUDA_VISIBLE_DEVICES: ids.join(",") }),
  };
}

/** Lets this process end before the child, which the emulator decides. */
function unref(child: ChildProcess): void {
  child.unref();
  // Without descriptors for its pipes there is no list.
  for (const pipe of (child.stdio as ChildProcess["stdio"] | undefined) ?? [])
    if (pipe instanceof Socket) pipe.unref();
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

/** Shell command that waits until the other end of its standard input is closed. */
const WAIT = "read -r nothing; ";

/**
 * Starts a shell that runs `command` with `pids` as parameters when this process is gone, however it ended. Returns a function
 * that ends the shell; call it when the shell is no longer needed.
 */
export function whenWeAreGone(command: string, pids: readonly number[]): () => void {
  const guard = spawn("/bin/sh", ["-c", WAIT + command, "sh", ...pids.map(String)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  guard.on("error", () => undefined);
  (guard.stdin as Writable | undefined)?.on("error", () => undefined);
  unref(guard);
  return () => void guard.kill("SIGKILL");
}
