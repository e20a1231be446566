/** Starts the supervisors of handler files, the first one ahead of its order: it then waits with an idle handler process. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  forOwnPrograms,
  HANDLER_NODE_OPTIONS,
  withoutDebugger,
  NODE_OPTIONS,
} from "../../../runtime/protocol/environment/node-options.ts";
import { SPARE_NAME, WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import { inheritedEnvironment, OUR_VARIABLE } from "./worker-process.ts";

/** Environment variable that marks a supervisor and all its descendants. Each supervisor has a different value. */
const MARKER_NAME = "SV_SUPERVISOR_PROCESS";

/** Minimum free memory for the start of a spare supervisor and its handler process, bytes. */
const ROOM_BYTES = 512_000_000;

/** Time after which a spare supervisor ends if no worker has needed it. */
const SPARE_MS = 10_000;

/** Maximum time that it takes to leave. */
const LEAVING_MS = 2_000;

export interface Supervisor {
  readonly child: ChildProcess;
  /** Name and value of the variable that marks its processes. */
  readonly mark: readonly [name: string, value: string];
}

interface Spare extends Supervisor {
  readonly env: NodeJS.ProcessEnv;
  readonly timer: NodeJS.Timeout;
}

let spare: Spare | undefined;

/** Resolves when the last spare supervisor that was ended is gone. */
let gone: Promise<unknown> = Promise.resolve();

/** Paths of the workers' programs: beside the built service, or in `dist/` if the service runs from its sources. */
export function workerPrograms(): { readonly program: string; readonly serverProgram: string } {
  const isBuilt = !import.meta.url.endsWith(".ts");
  const folder = new URL(isBuilt ? "../../../runtime/" : "../../../dist/runtime/", import.meta.url);
  return {
    program: fileURLToPath(new URL("sv-worker.cjs", folder)),
    serverProgram: fileURLToPath(new URL("handler/server-process.cjs", folder)),
  };
}

/**
 * Starts a supervisor for the first worker that needs nothing else than the emulator's environment, and returns its process.
 * Undefined where memory is short, and if there is a spare one already.
 */
export function startSpareSupervisor(
  program = workerPrograms().program,
  { availableBytes = process.availableMemory() } = {},
): ChildProcess | undefined {
  if (spare !== undefined || availableBytes < ROOM_BYTES) return undefined;
  const env = inheritedEnvironment();
  const own = { [SPARE_NAME]: "1", [WORKER_ENV.logFormat]: "json" };
  try {
    const started = spawnSupervisor(program, { ...env, ...own, [WORKER_ENV.exitOnStdinEnd]: "1" });
    started.child.on("error", endSpare);
    spare = { ...started, env, timer: setTimeout(endSpare, SPARE_MS).unref() };
  } catch {
    // A worker starts another one, and has that one's error.
  }
  return spare?.child;
}

/** Ends the spare supervisor, if there is one. Resolves when none is left. */
export async function endSpareSupervisor(): Promise<void> {
  endSpare();
  await gone;
}

/** It leaves when its standard input ends. */
function endSpare(): void {
  if (spare === undefined) return;
  const { child, timer } = spare;
  spare = undefined;
  clearTimeout(timer);
  if (!isAlive(child)) return;
  const late = setTimeout(() => child.kill("SIGKILL"), LEAVING_MS);
  gone = new Promise((resolve) => child.once("exit", resolve)).finally(() => clearTimeout(late));
  child.stdin?.end();
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Starts a supervisor with this environment, or gives it to the spare one. `isPlain`: the user has set no variable of it. */
export function startSupervisor(
  program: string,
  env: NodeJS.ProcessEnv,
  isPlain: boolean,
): Supervisor {
  if (spare === undefined || !isPlain || !fits(spare, env)) return spawnSupervisor(program, env);
  const taken = spare;
  spare = undefined;
  clearTimeout(taken.timer);
  taken.child.removeListener("error", endSpare);
  const told = Object.entries(env).filter(([name]) => OUR_VARIABLE.test(name));
  taken.child.stdin?.write(`${JSON.stringify(Object.fromEntries(told))}\n`);
  return taken;
}

/** Whether the spare supervisor lives, and lacks only variables that our own programs read when they have their order. */
function fits({ child, env: own }: Spare, env: NodeJS.ProcessEnv): boolean {
  if (!isAlive(child)) return false;
  const names = new Set([...Object.keys(own), ...Object.keys(env)]);
  return [...names].every((name) => OUR_VARIABLE.test(name) || own[name] === env[name]);
}

/** Code that the emulator's own `NODE_OPTIONS` loads is loaded by handlers, too. Those of a template load it into its whole worker. */
function forSupervisor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [NODE_OPTIONS]: options } = env;
  const isInherited = options === withoutDebugger(process.env[NODE_OPTIONS] ?? "");
  if (options === undefined || !isInherited) return env;
  return { ...env, [NODE_OPTIONS]: forOwnPrograms(options), [HANDLER_NODE_OPTIONS]: options };
}

function spawnSupervisor(program: string, env: NodeJS.ProcessEnv): Supervisor {
  const marker = `${process.pid}-${process.hrtime.bigint()}`;
  // The process has its own session: Ctrl-C in the terminal reaches the emulator alone. The emulator holds its standard input
  // open: the worker sees by its end that the emulator is gone, even if it was killed.
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...forSupervisor(env), [MARKER_NAME]: marker },
  });
  child.stdin.on("error", () => undefined);
  return { child, mark: [MARKER_NAME, marker] };
}
