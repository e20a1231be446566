/** `sv-runtime/testing`: runs a handler in the test's own process and gathers everything it gives. */
import type { Buffer } from "node:buffer";
import { ChunkWindow } from "./handler/chunk-window.ts";
import type { Handler, HandlerDefinition, Job, LogFields, S3Config } from "./handler/contract.ts";
import { invoke, type Invocation } from "./handler/invoke.ts";
import { JobContext, type Voice } from "./handler/job-context.ts";
import { readModule } from "./handler/read-module.ts";
import type { LogLevel } from "./pipe/tagged-lines.ts";
import type { RawChunk } from "./protocol/chunk.ts";
import { LIMITS } from "./protocol/limits.ts";

/** How to run a handler; every part has a default. */
export interface RunHandlerOptions {
  /** `job.id`; default `test-job`. */
  readonly id?: string;
  /** `job.attempt`; default 1. */
  readonly attempt?: number;
  readonly s3Config?: S3Config;
  /** Collect yields into the output, as the module's named export would; default what a definition says, else false. */
  readonly aggregate?: boolean;
  /** Time until `context.signal` aborts by itself, ms; default 10 minutes (spec). */
  readonly executionTimeoutMs?: number;
  /** Aborts `context.signal`, as a cancelled job would. */
  readonly signal?: AbortSignal;
}

/** One entry of `context.log`. */
export interface CapturedLog {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: LogFields;
}

/** What a handler gave, as clients of the service would get it: by way of JSON. */
export interface HandlerRun {
  /** Absent when the handler returned `undefined`. */
  readonly output?: unknown;
  /** What it yielded, as `/stream` shows it. */
  readonly chunks: readonly RawChunk[];
  /** Every value given to `context.progress`, oldest first. */
  readonly progress: readonly unknown[];
  readonly logs: readonly CapturedLog[];
}

/**
 * Runs a handler on one job. Its `setup`, if it has one, runs first.
 *
 * @param handler a module's default export: a function, or what `defineHandler` returns
 * @param input `job.input`; copied by way of JSON, as the service would
 * @throws whatever the handler throws
 * @throws InvalidOutputError when what it returns or yields has no JSON form or is too large
 * @throws InitError when it is no handler, or an option of it makes no sense
 */
export async function runHandler<Input = unknown, Output = unknown>(
  handler: Handler<Input, Output> | HandlerDefinition<Input, Output>,
  input: Input,
  options: RunHandlerOptions = {},
): Promise<HandlerRun> {
  const named = options.aggregate === undefined ? {} : { aggregate: options.aggregate };
  const loaded = readModule({ default: handler, ...named }, "The handler");
  await loaded.setup?.();
  const captured = new CapturedInvocation(input, options);
  const timer = setTimeout(() => captured.abort(), captured.context.deadline);
  const abort = (): void => captured.abort();
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted === true) abort();
  try {
    const result = await invoke(
      { run: loaded.run, aggregate: options.aggregate ?? loaded.aggregate },
      captured,
    );
    if (result.kind === "failed") throw result.thrown;
    return captured.finish(result.output);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

class CapturedInvocation implements Invocation, Voice {
  readonly context: JobContext;
  readonly window = new ChunkWindow();
  readonly #chunks: RawChunk[] = [];
  readonly #progress: unknown[] = [];
  readonly #logs: CapturedLog[] = [];

  constructor(input: unknown, options: RunHandlerOptions) {
    const { id = "test-job", attempt = 1, s3Config } = options;
    const { executionTimeoutMs = LIMITS.executionTimeoutDefaultMs } = options;
    const copied: unknown = JSON.parse(JSON.stringify(input));
    const job: Job = {
      id,
      input: copied,
      attempt,
      ...(s3Config === undefined ? {} : { s3Config }),
    };
    this.context = new JobContext(job, executionTimeoutMs, this);
  }

  abort(): void {
    this.context.abort();
    this.window.release();
  }

  sendChunk(index: number, body: Buffer): void {
    // Written by the runtime just now.
    this.#chunks.push(JSON.parse(body.toString()) as RawChunk);
    this.window.stored(index + 1);
  }

  log(level: LogLevel, message: string, fields?: LogFields): void {
    this.#logs.push({ level, message, ...(fields === undefined ? {} : { fields }) });
  }

  progress(json: Buffer): void {
    this.#progress.push(JSON.parse(json.toString()));
  }

  finish(output: string | undefined): HandlerRun {
    return {
      ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
      chunks: this.#chunks,
      progress: this.#progress,
      logs: this.#logs,
    };
  }
}
