/** Runs the command line of `sv-emulate` from its arguments to its exit code. */
import { printable } from "../../runtime/protocol/printable.ts";
import { collectBuffersLessOften } from "../../runtime/bin/buffer-memory.ts";
import { RUNTIME_VERSION } from "../../runtime/version.ts";
import type { EmulatorOptions, EngineLog } from "../index.ts";
import { announce, sumUp } from "./serve/announce.ts";
import { ToldInputs } from "./serve/told-inputs.ts";
import { asCalled } from "./called-as.ts";
import { type Invocation, readCommandLine } from "./command.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import { type LogOutput, openLog } from "./log/log-output.ts";
import { move, rotate } from "./move.ts";
import { repair } from "./repair.ts";
import { serve } from "./serve/serve.ts";
import { openBrowser } from "./serve/open-browser.ts";
import { type Flags, logModeOf, settle, type Settings } from "./serve/settings.ts";
import { startThreadAhead } from "../store/sqlite/thread/start-thread.ts";
import { countStopSignals, type StopSignals } from "./signals.ts";
import { gatherInputs, type StartInputs } from "./serve/start-inputs.ts";

/** @param args what stands behind the program's name */
export async function main(args: readonly string[]): Promise<number> {
  const signals = countStopSignals(process);
  // Whoever has read the ready line may close the pipe.
  process.stdout.on("error", () => undefined);
  try {
    return await perform(readCommandLine(args, RUNTIME_VERSION, process.stdout.columns), signals);
  } catch (error) {
    process.stderr.write(`error: ${printable(asCalled(complaint(error)), false)}\n`);
    return exitCodeOf(error);
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

/** Works on what is kept while no service does. Answers what is to be printed. */
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
 * What a start takes. Undefined where a signal came first, which is enough as long as nothing was started.
 *
 * @param own the flags of a start that the command's flags come to
 */
async function prepare({ targets, flags }: Request, signals: StopSignals, own: Flags = flags) {
  const cwd = process.cwd();
  // A config is a program: it may take forever.
  const gathered = gatherInputs({ targets, flags }, cwd, process.env);
  const inputs = await Promise.race([gathered, stoppedBy(signals)]);
  if (inputs === EXIT.stoppedAtOnce) return undefined;
  const settings = settle(own, inputs.environment, inputs.configs, cwd);
  const mode = logModeOf(flags, process.stderr.isTTY);
  const log = openLog(mode, { colors: hasColors(), stacks: isDebugging(), cwd });
  return { inputs, settings, mode, log, options: optionsOf(settings, inputs) };
}

async function run(request: Request, signals: StopSignals): Promise<ExitCode> {
  collectBuffersLessOften();
  if (request.flags.ephemeral !== true && !hasStore(request.flags)) startThreadAhead();
  // Loading the service takes longest, so it goes on while the targets are looked at.
  const loading = import("../index.ts");
  const prepared = await prepare(request, signals);
  if (prepared === undefined) return EXIT.stoppedAtOnce;
  const { inputs, settings, mode, log, options } = prepared;
  const hasGivenKey = settings.apiKey !== undefined;
  const isWatching = request.flags.watch !== false;
  const { startEmulator } = await loading;
  const toldInputs = new ToldInputs();
  const crashed = Promise.withResolvers<never>();
  process.once("uncaughtException", crashed.reject);
  try {
    const served = serve({
      start: async () =>
        startEmulator({
          ...options,
          log,
          watch: isWatching && { find: () => foundAgain(inputs, signals) },
          workerLine: (line) => log.workerLine(line),
          attemptEnded: (end) => log.attemptEnded(end),
          handlerTold: (endpointId, schemas) => toldInputs.note(endpointId, schemas),
          // Its workers end with it; whoever looks after the process starts it again.
          storeLost: crashed.reject,
        }),
      signals,
      ready: (emulator) => {
        // In a terminal it says that this has been closed, which ends the program.
        if (options.tls && !process.stdin.isTTY)
          process.on("SIGHUP", () => void emulator.rereadCertificate());
        void announce(emulator, { inputs, hasGivenKey, mode, log, toldInputs });
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
    // A write that is stuck in a full pipe would hold up any other exit, and all that could be lost is lines of the log.
    if (!(await log.close())) process.kill(process.pid, "SIGKILL");
  }
}

/** Whether the database is another than that of the data directory, as far as is known before configs are read. */
function hasStore({ store }: Flags): boolean {
  return (store ?? process.env["SV_STORE"] ?? "") !== "";
}

async function stoppedBy(signals: StopSignals): Promise<typeof EXIT.stoppedAtOnce> {
  await signals.nth(1);
  return EXIT.stoppedAtOnce;
}

/** What is served by now. A config that never settles must not hold up the end of the service. */
async function foundAgain(inputs: StartInputs, signals: StopSignals) {
  const found = await Promise.race([inputs.again(), stoppedBy(signals)]);
  if (found === EXIT.stoppedAtOnce) throw new Error("the service stops");
  return found;
}

/** A service for as long as a command runs; what it says by itself is not to drown what the command says. */
async function runExec(
  { targets, flags, command }: Extract<Invocation, { readonly kind: "exec" }>,
  signals: StopSignals,
): Promise<number> {
  const loading = import("../index.ts");
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
  const { startEmulator } = await loading;
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

/** Warnings and errors until it is mute: that workers are ended with the service is no news. */
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

/** What the service is started with: the settings that were set, and everything that targets and configs have to be served. */
function optionsOf(
  settings: Settings,
  { handlers, commands, images, configs }: StartInputs,
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

/** The sentence about an error; what nobody foresaw can be looked into. */
function complaint(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isDebugging()) return error.stack ?? error.message;
  if (exitCodeOf(error) !== EXIT.unexpected) return error.message;
  return `an unexpected failure: ${error.message} (SV_DEBUG=1 shows where)`;
}

function isDebugging(): boolean {
  return process.env["SV_DEBUG"] === "1";
}

function hasColors(): boolean {
  return process.stderr.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}
