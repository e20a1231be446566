/** Runs the command line of `sv-emulate` from its arguments to its exit code. */
import { printable } from "../../runtime/protocol/printable.ts";
import { collectBuffersLessOften } from "../../runtime/bin/buffer-memory.ts";
import { whenPackageManagerEnds } from "../../runtime/bin/package-manager.ts";
import { RUNTIME_VERSION } from "../../runtime/version.ts";
import type { Emulator, EmulatorOptions, EngineLog } from "../index.ts";
import { announce, HandlerInputs, sumUp } from "./serve/announce.ts";
import { asCalled } from "./called-as.ts";
import { EmulatorFile } from "./emulator-file.ts";
import { type Invocation, readCommandLine } from "./command.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import { type LogOutput, openLog } from "./log/log-output.ts";
import { move, rotate } from "./move.ts";
import { repair } from "./repair.ts";
import { serve } from "./serve/serve.ts";
import { openBrowser } from "./serve/open-browser.ts";
import { type Flags, logModeOf, settle, type Settings } from "./serve/settings.ts";
import { endSpareSupervisor, startSpareSupervisor } from "../launch/processes/supervisor.ts";
import { startThreadAhead } from "../store/sqlite/thread/start-thread.ts";
import { countStopSignals, type StopSignals } from "./signals.ts";
import { gatherStartOptions, type StartOptions } from "./serve/start-options.ts";

/** @param args the arguments behind the program's name */
export async function main(args: readonly string[]): Promise<number> {
  const signals = countStopSignals(process);
  whenPackageManagerEnds((pid) =>
    signals.stopAtOnce(`the package manager that started this program (process ${pid}) has ended`),
  );
  // A reader may close the pipe after the ready line.
  process.stdout.on("error", () => undefined);
  try {
    return await perform(readCommandLine(args, RUNTIME_VERSION, process.stdout.columns), signals);
  } catch (error) {
    process.stderr.write(`error: ${printable(asCalled(complaint(error)), false)}\n`);
    return exitCodeOf(error);
  } finally {
    await endSpareSupervisor();
  }
}

async function perform(invocation: Invocation, signals: StopSignals): Promise<number> {
  if (invocation.kind === "serve") return run(invocation, signals);
  if (invocation.kind === "exec") return runExec(invocation, signals);
  if (invocation.kind === "build") {
    const { runBuildCommand } = await import("./build/build.ts");
    return runBuildCommand(invocation, process.cwd(), signals, {
      out: process.stdout,
      err: process.stderr,
      colors: hasColors(),
    });
  }
  if (invocation.kind === "init") {
    const { runInitCommand } = await import("./init/init.ts");
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
    const person = { ...output, isInteractive };
    return runInitCommand(invocation, process.cwd(), signals, person);
  }
  if (invocation.kind === "doctor") {
    const { doctor } = await import("./doctor.ts");
    const place = { cwd: process.cwd(), env: process.env, colors: hasColors(process.stdout) };
    return doctor(invocation, { ...place, out: output.out });
  }
  if (invocation.kind === "config") {
    const { showConfig } = await import("./config/config-report.ts");
    const shown = showConfig(invocation, process.cwd(), process.env, output.out);
    return Promise.race([shown, stoppedBy(signals)]);
  }
  if (invocation.kind === "export") {
    const { runExport } = await import("./export/run-export.ts");
    const place = { cwd: process.cwd(), env: process.env };
    const stopped = new AbortController();
    const exported = runExport(invocation.flags, place, output, stopped.signal);
    return Promise.race([exported, stoppedBy(signals)]).finally(() => stopped.abort());
  }
  if (invocation.kind === "operate") {
    const { runAtTerminal } = await import("./operate/run-command.ts");
    return runAtTerminal(invocation.command, signals);
  }
  if (invocation.kind === "repair" || invocation.kind === "move" || invocation.kind === "rotate") {
    output.out(await performOffline(invocation));
    return EXIT.stopped;
  }
  if (invocation.kind === "complete") {
    const { complete } = await import("./completion/complete.ts");
    output.out(await complete(invocation.completion, RUNTIME_VERSION, process.env));
    return EXIT.stopped;
  }
  output.out(asCalled(invocation.text));
  return EXIT.stopped;
}

/** Runs a command on stored data without a service. Returns the text to print. */
async function performOffline(
  invocation: Extract<Invocation, { readonly kind: "repair" | "move" | "rotate" }>,
): Promise<string> {
  if (invocation.kind === "repair") return repair(invocation.flags, process.cwd());
  if (invocation.kind === "rotate") return rotate(invocation.flags, process.env);
  return move(invocation.flags, process.cwd(), process.env, (line) => output.err(`${line}\n`));
}

const output = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};

interface Request {
  readonly targets: readonly string[];
  readonly flags: Flags;
}

/**
 * Gathers the options of a start. Undefined if a signal came first: nothing was started yet.
 *
 * @param own the flags of the start, if they differ from the command's
 */
async function prepare({ targets, flags }: Request, signals: StopSignals, own: Flags = flags) {
  const cwd = process.cwd();
  // A config is a program that may never end.
  const gathered = gatherStartOptions({ targets, flags }, cwd, process.env);
  const inputs = await Promise.race([gathered, stoppedBy(signals)]);
  if (inputs === EXIT.stoppedAtOnce) return undefined;
  // The first worker's processes start while the service is being loaded.
  if (inputs.handlers.some(({ type }) => type !== "LOAD_BALANCING")) startSpareSupervisor();
  const settings = settle(own, inputs.environment, inputs.configs, cwd);
  const mode = logModeOf(flags, process.stderr.isTTY);
  const log = openLog(mode, { colors: hasColors(), stacks: isDebugging(), cwd });
  return { inputs, settings, mode, log, options: optionsOf(settings, inputs) };
}

async function run(request: Request, signals: StopSignals): Promise<ExitCode> {
  collectBuffersLessOften();
  if (request.flags.ephemeral !== true && !hasStore(request.flags)) startThreadAhead();
  const prepared = await prepare(request, signals);
  if (prepared === undefined) return EXIT.stoppedAtOnce;
  const { inputs, settings, mode, log, options } = prepared;
  const hasGivenKey = settings.apiKey !== undefined;
  const { startEmulator } = await import("../index.ts");
  const handlerInputs = new HandlerInputs();
  using file = new EmulatorFile(settings, log);
  const crashed = Promise.withResolvers<never>();
  process.once("uncaughtException", crashed.reject);
  try {
    const served = serve({
      start: async () =>
        startEmulator({
          ...options,
          localKey: file.key,
          log,
          watch: request.flags.watch !== false && { find: () => foundAgain(inputs, signals) },
          poll: request.flags.poll,
          workerLine: (line) => log.workerLine(line),
          attemptEnded: (end) => log.attemptEnded(end),
          handlerTold: (endpointId, schemas) => handlerInputs.note(endpointId, schemas),
          // Workers end with the service. A supervisor of the process restarts it.
          storeLost: crashed.reject,
        }),
      signals,
      ready: (emulator) => {
        rereadOnHangUp(emulator, options);
        file.write(emulator.url);
        void announce(emulator, { inputs, hasGivenKey, mode, log, handlerInputs });
        if (request.flags.open)
          openBrowser(emulator.dashboardLink() ?? `${emulator.url}/docs`, (problem) =>
            log.warn({}, problem),
          );
      },
      say: (sentence) => log.info({}, sentence),
      stopped: (emulator) => sumUp(emulator, settings.limits, log),
    });
    return await Promise.race([served, crashed.promise]);
  } catch (error) {
    const exitCode = exitCodeOf(error);
    log.error({ exitCode }, complaint(error));
    return exitCode;
  } finally {
    // A write that is stuck in a full pipe would block any other exit. Only lines of the log can be lost.
    if (!(await log.close())) process.kill(process.pid, "SIGKILL");
  }
}

/** In a terminal, SIGHUP means that the terminal was closed, and ends the program. */
function rereadOnHangUp(emulator: Emulator, { tls }: EmulatorOptions): void {
  if (tls && !process.stdin.isTTY) process.on("SIGHUP", () => void emulator.rereadCertificate());
}

/** Whether a store other than the data directory is set, as far as is known before configs are read. */
function hasStore({ store }: Flags): boolean {
  return (store ?? process.env["SV_STORE"] ?? "") !== "";
}

async function stoppedBy(signals: StopSignals): Promise<typeof EXIT.stoppedAtOnce> {
  await signals.nth(1);
  return EXIT.stoppedAtOnce;
}

/** Finds the endpoints again. A config that never settles must not delay the end of the service. */
async function foundAgain(inputs: StartOptions, signals: StopSignals) {
  const found = await Promise.race([inputs.again(), stoppedBy(signals)]);
  if (found === EXIT.stoppedAtOnce) throw new Error("the service stops");
  return found;
}

/** Runs a service beside a command. By default only warnings of the service are shown, so that the command's output stays readable. */
async function runExec(
  { targets, flags, command }: Extract<Invocation, { readonly kind: "exec" }>,
  signals: StopSignals,
): Promise<number> {
  const { junit, port = "0", ...own } = flags;
  const kept: Flags = own.dataDir === undefined ? { ephemeral: true } : {};
  const prepared = await prepare({ targets, flags }, signals, { ...own, ...kept, port });
  if (prepared === undefined) return EXIT.stoppedAtOnce;
  const { inputs, log, options } = prepared;
  const isWhole = flags.log !== undefined;
  const quiet = warningsOf(log);
  const [{ exec }, { endAs }] = await Promise.all([
    import("./exec/exec.ts"),
    import("./child-command.ts"),
  ]);
  const { startEmulator } = await import("../index.ts");
  const start = (more: EmulatorOptions) =>
    startEmulator({
      ...options,
      ...more,
      log: isWhole ? log : quiet,
      ...(isWhole && {
        workerLine: (line) => log.workerLine(line),
        attemptEnded: (end) => log.attemptEnded(end),
      }),
    });
  const commandEnded = () => quiet.mute();
  try {
    const endpoints = [...inputs.handlers, ...inputs.commands, ...inputs.images];
    const end = await exec({
      start,
      commandEnded,
      endpoints,
      command,
      env: inputs.environment,
      junitFile: junit,
    });
    if ("problem" in end) process.stderr.write(`error: ${printable(end.problem, false)}\n`);
    return await endAs(end);
  } finally {
    await log.close();
  }
}

/** Logs warnings and errors until it is muted, when workers end with the service. */
function warningsOf(log: LogOutput): EngineLog & { mute(): void } {
  let isMute = false;
  const unlessMute = (level: "warn" | "error"): EngineLog["warn"] => {
    return (fields, message) => {
      if (!isMute) log[level](fields, message);
    };
  };
  return {
    info: () => undefined,
    warn: unlessMute("warn"),
    error: unlessMute("error"),
    mute: () => (isMute = true),
  };
}

/** The options of the service: the settings that were set, and the endpoints and resources of targets and configs. */
function optionsOf(
  settings: Settings,
  { handlers, commands, images, configs }: StartOptions,
): EmulatorOptions {
  const all = configs.map(({ resources }) => resources);
  return {
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    handlers,
    commands,
    images,
    resources: {
      networkVolumes: all.flatMap(({ networkVolumes }) => networkVolumes),
      registryAuths: all.flatMap(({ registryAuths }) => registryAuths),
      templates: all.flatMap(({ templates }) => templates),
    },
  };
}

/** The sentence about an error, with a hint for an unexpected one. */
function complaint(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isDebugging()) return error.stack ?? error.message;
  if (exitCodeOf(error) !== EXIT.unexpected) return error.message;
  return `an unexpected failure: ${error.message} (SV_DEBUG=1 shows where)`;
}

function isDebugging(): boolean {
  return process.env["SV_DEBUG"] === "1";
}

function hasColors(stream: { readonly isTTY: boolean } = process.stderr): boolean {
  return stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}
