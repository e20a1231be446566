/** `sv-runtime/testing`: runs a handler in the test's own process and collects its results. */
import type { Buffer } from "node:buffer";
import fs from "node:fs/promises";
import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Handler, HandlerDefinition, Job, LogFields } from "./handler/contract.ts";
import { JobInvocation, type JobPort } from "./handler/job/invocation.ts";
import type { Invocable } from "./handler/job/invoke.ts";
import { openLog } from "./handler/job/job-context.ts";
import { importHandler } from "./handler/module/load-handler.ts";
import { readModule } from "./handler/module/read-module.ts";
import { SetupRun } from "./handler/setup-run.ts";
import { prepareHandler } from "./load/prepare-handler.ts";
import type { LogLevel } from "./protocol/worker-log.ts";
import type { RawChunk } from "./protocol/chunk.ts";
import { type ChunkBatch, chunksOf } from "./protocol/chunk-batch.ts";
import { LIMITS } from "./protocol/limits.ts";
import type { S3Config } from "./storage/contract.ts";
import { type CapturedUpload, MemoryStore } from "./storage/memory-store.ts";

export { jobMatchers, type JobLike, type JobMatchers } from "./job-matchers.ts";
export type { CapturedUpload } from "./storage/memory-store.ts";

/** Options for running a handler. Every option has a default. */
export interface RunHandlerOptions {
  /** `job.id`; default `test-job`. */
  readonly id?: string;
  /** `job.attempt`; default 1. */
  readonly attempt?: number;
  readonly s3Config?: S3Config;
  /** Objects of the job's bucket for `context.download`, by key. Default: the bucket is empty. */
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
  /** `context.volumePath`; default undefined. */
  readonly volumePath?: string;
  /** `context.traceparent`; default undefined. */
  readonly traceparent?: string;
  /** Collect yields into the output, as the module's named export would; default: the definition's option, otherwise false. */
  readonly aggregate?: boolean;
  /** Time until `context.signal` aborts by itself, ms; default 10 minutes (spec). */
  readonly executionTimeoutMs?: number;
  /** Aborts `context.signal`, as a cancellation of the job does. */
  readonly signal?: AbortSignal;
  /**
   * Value of `context.state`. If this option is present, even with the value undefined, neither `setup` nor `dispose` is
   * called.
   */
  readonly state?: unknown;
}

/** One entry of `context.log`. */
export interface CapturedLog {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: LogFields;
}

/** The results of a handler as clients of the service would get them, converted to JSON and back. */
export interface HandlerRun {
  /** Absent when the handler returned `undefined`. */
  readonly output?: unknown;
  /** The yields of the handler, as `/stream` shows them. */
  readonly chunks: readonly RawChunk[];
  /** All arguments of `context.progress`, oldest first. */
  readonly progress: readonly unknown[];
  /** Log lines; those of `setup` come first, those of `dispose` last. */
  readonly logs: readonly CapturedLog[];
  /** True when the handler called `context.refresh`. */
  readonly refreshed: boolean;
  /** The uploads of the handler, oldest first. They are kept in memory and not sent. */
  readonly uploads: readonly CapturedUpload[];
}

/**
 * Runs a handler on one job: its `setup`, if it has one, then the job, then its `dispose`. `context.tempDir` is removed at the
 * end. The job's bucket is in memory. Downloads from URLs are real requests.
 *
 * @param handler a module's default export: a function, or what `defineHandler` returns. Or the path or URL of a handler's file or
 *   directory: it is then built and loaded as a worker does it, and its named exports count
 * @param input `job.input` before the handler's schema is applied; converted to JSON and back, as by the service
 * @throws whatever the handler throws
 * @throws InvalidInputError if the input does not match the handler's schema
 * @throws InvalidOutputError if the returned value or a yield has no JSON form, is too large, or does not match its schema
 * @throws InitError if `handler` is not a handler, cannot be imported, or one of its options is invalid
 * @throws HandlerFileError if there is no such file, or it cannot be built
 */
export async function runHandler<Input = unknown, Output = unknown, State = unknown>(
  handler: Handler<Input, Output, State>,
  input: Input,
  options?: RunHandlerOptions,
): Promise<HandlerRun>;
export async function runHandler<Input, Output, State, RawInput>(
  handler: HandlerDefinition<Input, Output, State, RawInput, unknown>,
  input: NoInfer<RawInput>,
  options?: RunHandlerOptions,
): Promise<HandlerRun>;
export async function runHandler(
  handler: URL | string,
  input: unknown,
  options?: RunHandlerOptions,
): Promise<HandlerRun>;
export async function runHandler(
  handler: unknown,
  input: unknown,
  options: RunHandlerOptions = {},
): Promise<HandlerRun> {
  const named = options.aggregate === undefined ? {} : { aggregate: options.aggregate };
  const loaded =
    typeof handler === "string" || handler instanceof URL
      ? await importHandler(
          await prepareHandler(handler instanceof URL ? fileURLToPath(handler) : handler),
        )
      : readModule({ default: handler }, "The handler");
  const { s3Config, objects = {} } = options;
  const store = new MemoryStore(s3Config?.bucketName ?? "test-bucket", objects);
  const run = new CapturedRun(store, options.volumePath);
  const log = openLog(run);
  for (const hint of loaded.hints) log.warn(hint);
  const state =
    "state" in options
      ? options.state
      : await loaded.setup?.(new SetupRun(log, options.volumePath, () => {}));
  try {
    const output = await runJob({ ...loaded, ...named }, run, { input, options, state });
    if (!("state" in options)) await loaded.dispose?.(state);
    return run.finish(output);
  } finally {
    await run.removeTempDir();
  }
}

interface Given {
  readonly input: unknown;
  readonly options: RunHandlerOptions;
  readonly state: unknown;
}

async function runJob(
  handler: Invocable,
  run: CapturedRun,
  { input, options, state }: Given,
): Promise<string | undefined> {
  const { executionTimeoutMs = LIMITS.executionTimeoutDefaultMs, signal } = options;
  const terms = { remainingMs: executionTimeoutMs, traceparent: options.traceparent, state };
  const invocation = new JobInvocation(readJob(input, options), terms, run, 0);
  run.stored = (nextIndex) => invocation.window.stored(nextIndex);
  const abort = (): void => invocation.abort();
  const timer = setTimeout(abort, invocation.context.deadline);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  try {
    const result = await invocation.run(handler);
    if (result.kind === "failed") throw result.thrown;
    return result.output;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function readJob(input: unknown, options: RunHandlerOptions): Job {
  const { id = "test-job", attempt = 1, s3Config } = options;
  const copied: unknown = JSON.parse(JSON.stringify(input));
  return { id, input: copied, attempt, ...(s3Config === undefined ? {} : { s3Config }) };
}

/** Collects all results of a handler, from its setup to its dispose. */
class CapturedRun implements JobPort {
  readonly #chunks: RawChunk[] = [];
  readonly #progress: unknown[] = [];
  readonly #logs: CapturedLog[] = [];
  readonly #store: MemoryStore;
  readonly volumePath: string | undefined;
  /** Called with the captured chunks, which count as stored. */
  stored: (nextIndex: number) => void = () => {};
  #refreshed = false;
  #tempDir: string | undefined;

  constructor(store: MemoryStore, volumePath: string | undefined) {
    this.#store = store;
    this.volumePath = volumePath;
  }

  chunks(batch: ChunkBatch): void {
    for (const chunk of chunksOf(batch)) {
      // The runtime itself has just written this JSON.
      this.#chunks.push(JSON.parse(chunk.toString()) as RawChunk);
    }
    this.stored(batch.firstIndex + batch.count);
  }

  endOfTurn(flush: () => void): void {
    // A microtask, because a test with fake timers may delay immediates.
    queueMicrotask(flush);
  }

  log(level: LogLevel, message: string, fields?: LogFields): void {
    this.#logs.push({ level, message, ...(fields === undefined ? {} : { fields }) });
  }

  progress(json: Buffer): void {
    this.#progress.push(JSON.parse(json.toString()));
  }

  refresh(): void {
    this.#refreshed = true;
  }

  makeTempDir(): string {
    this.#tempDir = mkdtempSync(path.join(os.tmpdir(), "sv-job-"));
    return this.#tempDir;
  }

  openStore(): Promise<MemoryStore> {
    return Promise.resolve(this.#store);
  }

  async removeTempDir(): Promise<void> {
    if (this.#tempDir !== undefined) await fs.rm(this.#tempDir, { recursive: true, force: true });
  }

  finish(output: string | undefined): HandlerRun {
    return {
      ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
      chunks: this.#chunks,
      progress: this.#progress,
      logs: this.#logs,
      refreshed: this.#refreshed,
      uploads: this.#store.uploads,
    };
  }
}
