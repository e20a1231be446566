/** Launcher that runs a command for each worker: any program that speaks the live protocol. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { killMarked, signalGroup } from "../../../runtime/pipe/process-tree.ts";
import { WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import { needDescriptors } from "../../../runtime/system/descriptors.ts";
import type { WorkingDirectory } from "../../core/resources/endpoints/served-endpoint.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { LaunchedWorker, Launcher, WorkerExit, WorkerOrder } from "../launcher.ts";
import type { LiveService } from "../live-environment.ts";
import { localLauncher } from "../local-launcher.ts";
import { commandFrom, makeOwnDirectory, ownHome } from "./worker-directories.ts";
import { refusedWorker } from "../runs/worker-exit.ts";
import { asWorker, gpuEnv, inheritedEnvironment, whenWeAreGone } from "./worker-process.ts";
import { workerEnvironment } from "../worker-environment.ts";

/** A program with its arguments and working directory. */
export interface Command {
  /** The program, found from `cwd` or in PATH as by a shell, and its arguments, which no shell expands. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** `own` (default): each worker runs in a directory of its own, with links to the content of `cwd`. */
  readonly workingDirectory?: WorkingDirectory | undefined;
}

export interface CommandLauncherOptions {
  /** The command of this template's workers. Undefined for a template without a command. */
  commandOf(template: Template): Command | undefined;
  /** Returns the address of the worker port; called at each launch. */
  serviceAddress(): string;
  /** Returns the URL for live workers; called at each launch. */
  liveService(): LiveService;
  /** Directory that holds each worker's home, and its own working directory. */
  readonly places: string;
  /** More variables for the worker. The template's variables override them. Must not throw. */
  extraEnv?(order: WorkerOrder): Readonly<Record<string, string>>;
  /** Called with each line that a worker writes. */
  line(order: WorkerOrder, line: string): void;
}

export function createCommandLauncher(options: CommandLauncherOptions): Launcher {
  return localLauncher({
    what: "command",
    has: (template) => options.commandOf(template) !== undefined,
    launch: (order) => launch(options, order),
  });
}

function launch(options: CommandLauncherOptions, order: WorkerOrder): LaunchedWorker {
  const served = options.commandOf(order.template) ?? { command: [], cwd: "" };
  const place = path.join(options.places, order.workerId);
  const home = path.join(place, "home");
  try {
    needDescriptors();
    fs.mkdirSync(home, { recursive: true });
    const child = start(ownCommand(served, place), environment(options, order, home));
    endAll(child, order.workerId);
    const mark = [WORKER_ENV.workerId, order.workerId] as const;
    const worker = asWorker("command", child, mark, {
      gpus: order.gpus,
      line: (text) => options.line(order, text),
    });
    const exited = worker.exited.then(async (exit) => {
      await dropPlace(place);
      return explained(exit, served);
    });
    return { ...worker, exited, speaksLate: true };
  } catch (error) {
    const refused = refusedWorker("command", error);
    const ended = Promise.all([refused.exited, dropPlace(place)]);
    const exited = ended.then(([exit]) => explained(exit, served));
    return { ...refused, exited };
  }
}

/** The command as this worker runs it. @throws Error if the directory cannot be read */
function ownCommand({ command, cwd, workingDirectory = "own" }: Command, place: string): Command {
  if (workingDirectory === "shared") return { command, cwd };
  const own = path.join(place, "work");
  makeOwnDirectory(own, cwd);
  return { command: commandFrom(cwd, command), cwd: own };
}

/** The process has its own session: Ctrl-C in the terminal reaches the emulator alone. */
function start({ command: [program = "", ...args], cwd }: Command, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: "pipe" });
  // The input is held open. A worker of this project sees by its end that the emulator is gone.
  child.stdin.on("error", () => undefined);
  return child;
}

/** Ends everything that the worker started when it ends, and the worker when the emulator ends. */
function endAll(child: ChildProcess, workerId: string): void {
  const { pid } = child;
  if (pid === undefined) return;
  const callOff = whenWeAreGone('kill -KILL "-$1"', [pid]);
  child.once("exit", () => {
    callOff();
    signalGroup(pid, "SIGKILL");
    killMarked(WORKER_ENV.workerId, workerId);
  });
}

function environment(
  options: CommandLauncherOptions,
  order: WorkerOrder,
  home: string,
): NodeJS.ProcessEnv {
  const inherited = inheritedEnvironment();
  return {
    ...inherited,
    ...ownHome(inherited, home),
    ...workerEnvironment(order, options.serviceAddress(), {
      extra: options.extraEnv?.(order),
      live: options.liveService(),
    }),
    ...gpuEnv(order),
  };
}

/** Removes a worker's directory. The rest is removed with the directory of all workers. */
async function dropPlace(place: string): Promise<void> {
  await fs.promises.rm(place, { recursive: true, force: true }).catch(() => undefined);
}

function explained(exit: WorkerExit, served: Command): WorkerExit {
  if (exit.startError === undefined) return exit;
  return { ...exit, startError: `the command cannot be started: ${startProblem(exit, served)}` };
}

function startProblem(
  { startError = "" }: WorkerExit,
  { command: [program = ""], cwd }: Command,
): string {
  if (!fs.existsSync(cwd)) return `there is no directory ${cwd}`;
  if (startError.includes("ENOENT")) {
    const where = program.includes("/") ? `from ${cwd}` : "in PATH";
    return `there is no program ${JSON.stringify(program)} ${where}`;
  }
  if (startError.includes("EACCES")) return `${JSON.stringify(program)} is not executable`;
  return startError;
}
