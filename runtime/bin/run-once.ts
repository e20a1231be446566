/** `sv-worker run`: one job without any service; chunks and output to stdout, everything else to stderr. */
import path from "node:path";
import fs from "node:fs/promises";
import { once } from "node:events";
import { openWorkerLog } from "../log/worker-log.ts";
import type { WorkerLog } from "../protocol/worker-log.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Outcome } from "../protocol/outcome.ts";
import { STORAGE_ENV } from "../protocol/environment/storage-env.ts";
import { OneJobSource } from "../source/one-job.ts";
import { startWorker } from "../worker.ts";
import type { RunFlags } from "./command.ts";
import { startHeartbeatOf } from "./heartbeat.ts";
import { whenPackageManagerEnds } from "./package-manager.ts";
import { compileCacheEnv, defaultLogFormat, onSignals } from "./program.ts";
import { milliseconds, type Settings } from "./settings.ts";
import { EXIT, type ExitCode, UsageError } from "./usage.ts";
import { Buffer } from "node:buffer";
import { buffer } from "node:stream/consumers";

/**
 * Resolves with the exit code when the handler process has ended.
 * @throws UsageError for an invalid input or timeout
 */
export async function runOnce(
  handler: string,
  flags: RunFlags,
  settings: Settings,
): Promise<ExitCode> {
  const { logLevel, logFormat = defaultLogFormat(), ...workerSettings } = settings;
  const executionTimeoutMs =
    flags.timeoutMs === undefined
      ? LIMITS.executionTimeoutDefaultMs
      : milliseconds(1)(flags.timeoutMs, "--timeout-ms");
  const input = await readJobInput(flags);
  const log = openWorkerLog(logFormat, process.stderr, logLevel);
  startHeartbeatOf(process.env, log);
  const source = new OneJobSource({
    input,
    executionTimeoutMs,
    chunks: (lines, taken) => process.stdout.write(lines, () => taken()),
    progress: (value) => log.write("info", "progress", { value: parsed(value) }),
  });
  onSignals({ first: () => source.cancel(), again: () => worker.stop() });
  // The reader of the results has gone, as with `| head -1`.
  process.stdout.on("error", () => source.cancel());
  const worker = startWorker({
    standby: "none",
    ...workerSettings,
    handler,
    log: handlerWordsOnly(log),
    env: { ...compileCacheEnv(), ...objectsEnv(flags) },
    openSource: () => source,
  });
  process.on("exit", () => worker.killNow());
  whenPackageManagerEnds(() => worker.stop());
  const outcome = await Promise.race([source.outcome, worker.ended]);
  if (typeof outcome === "string") {
    return outcome === "handler-unusable" ? EXIT.handlerUnusable : EXIT.failed;
  }
  if (outcome.kind === "timed-out" || outcome.kind === "stopped") {
    await settled(source, settings.graceMs ?? LIMITS.handlerGraceMs);
  }
  worker.drain();
  await worker.ended;
  return report(outcome, log);
}

function objectsEnv({ objects }: RunFlags): Record<string, string> {
  return objects === undefined ? {} : { [STORAGE_ENV.directory]: path.resolve(objects) };
}

/** Waits for the end of the job: a handler has a grace time after the order to stop. */
async function settled(source: OneJobSource, graceMs: number): Promise<void> {
  const grace = Promise.withResolvers<void>();
  const timer = setTimeout(grace.resolve, graceMs);
  await Promise.race([source.settled, grace.promise]);
  clearTimeout(timer);
}

async function report(outcome: Outcome, log: WorkerLog): Promise<ExitCode> {
  switch (outcome.kind) {
    case "completed":
      await new Promise<void>((resolve) => {
        writeLine(outcome.output ?? Buffer.from("null"), resolve);
      });
      return EXIT.done;
    case "failed":
    case "timed-out":
    case "lost": {
      const { message, ...more } = outcome.failure;
      log.write("error", message, { outcome: outcome.kind, ...more });
      break;
    }
    case "handed-back":
    case "stopped":
      log.write("error", "The job was stopped before it was done.", { outcome: "stopped" });
  }
  if (process.stderr.writableNeedDrain) await once(process.stderr, "drain");
  return EXIT.failed;
}

function writeLine(json: Uint8Array, written: () => void): void {
  process.stdout.write(json);
  process.stdout.write("\n", written);
}

/** A log without the worker's own lines, such as those about its start and end. */
function handlerWordsOnly(log: WorkerLog): WorkerLog {
  return {
    write(level, msg, fields) {
      const isOwn = fields === undefined || !("stream" in fields);
      if (!isOwn || level !== "info") log.write(level, msg, fields);
    },
  };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}

/**
 * Reads the input as raw JSON text from `--input`, a file or standard input.
 *
 * @throws UsageError if there is no input, or it is no JSON object
 */
async function readJobInput({ input, inputFile }: RunFlags): Promise<Uint8Array> {
  if (input !== undefined) return checked(Buffer.from(input), "--input");
  if (inputFile !== undefined && inputFile !== "-") {
    return checked(await readInputFile(inputFile), inputFile);
  }
  if (process.stdin.isTTY) {
    throw new UsageError("There is no input: give --input or --input-file, or pipe it in.");
  }
  return checked(await buffer(process.stdin), "standard input");
}

async function readInputFile(file: string): Promise<Buffer> {
  try {
    return await fs.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The input cannot be read: ${reason}.`, { cause: error });
  }
}

/** Like the `input` of a submission, it must be an object. */
function checked(text: Buffer, where: string): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The input (${where}) is no JSON: ${reason}.`, { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  throw new UsageError(`The input (${where}) must be a JSON object, like '{"name": "Ada"}'.`);
}
