/** Runs the command line of `sv-emulate` from its arguments to its exit code. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { collectBuffersLessOften } from "../../runtime/buffer-memory.ts";
import type { Emulator } from "../index.ts";
import { invitation, keySentence, readyLine, s3Sentence } from "./announcement.ts";
import { readCommandLine } from "./command.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import { type LogOutput, openLog } from "./log/log-output.ts";
import { serve } from "./serve.ts";
import { type Flags, logModeOf, settle } from "./settings.ts";
import { countStopSignals, type StopSignals } from "./signals.ts";
import { resolveTargets } from "./targets.ts";

/** @param args what stands behind the program's name */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const signals = countStopSignals(process);
  // Whoever has read the ready line may close the pipe.
  process.stdout.on("error", () => undefined);
  try {
    const invocation = readCommandLine(args, version(), process.stdout.columns);
    if (invocation.kind === "serve") return await run(invocation, signals);
    process.stdout.write(invocation.text);
    return EXIT.stopped;
  } catch (error) {
    process.stderr.write(`error: ${complaint(error)}\n`);
    return exitCodeOf(error);
  }
}

interface Request {
  readonly targets: readonly string[];
  readonly flags: Flags;
}

async function run({ targets, flags }: Request, signals: StopSignals): Promise<ExitCode> {
  collectBuffersLessOften();
  // Loading the service takes longest, so it goes on while the targets are looked at.
  const loading = import("../index.ts");
  const cwd = process.cwd();
  const { handlers, configs } = await resolveTargets(targets, cwd);
  const { host, port, s3, dataDir, apiKey } = settle(flags, process.env, configs, cwd);
  const { startEmulator } = await loading;
  const mode = logModeOf(flags, process.stderr.isTTY);
  const log = openLog(mode, { colors: hasColors(), stacks: isDebugging() });
  const crashed = Promise.withResolvers<never>();
  process.once("uncaughtException", crashed.reject);
  try {
    const served = serve({
      start: async () =>
        startEmulator({
          host,
          port,
          s3,
          handlers,
          ...(dataDir !== undefined && { dataDir }),
          ...(apiKey !== undefined && { apiKey }),
          log,
          workerLine: (line) => log.workerLine(line),
        }),
      signals,
      ready: (emulator) =>
        announce(emulator, {
          isNewKey: apiKey === undefined && emulator.apiKey !== undefined,
          toPerson: mode === "pretty" && process.stdout.isTTY,
          log,
        }),
      say: (sentence) => log.info({}, sentence),
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

interface Audience {
  readonly isNewKey: boolean;
  readonly toPerson: boolean;
  readonly log: LogOutput;
}

function announce(emulator: Emulator, { isNewKey, toPerson, log }: Audience): void {
  const { url, apiKey, endpointIds, s3 } = emulator;
  if (isNewKey && apiKey !== undefined && !toPerson) log.info({}, keySentence(apiKey));
  if (s3 && !toPerson) log.info({ s3: s3.endpoint }, s3Sentence(s3));
  process.stdout.write(readyLine({ url }));
  if (toPerson) process.stdout.write(invitation({ url, apiKey, endpointIds, isNewKey, s3 }));
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

function version(): string {
  const file = findPackageJSON(import.meta.url);
  const manifest: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}
