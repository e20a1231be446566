/** One job of a handler in this very process: connects what the handler does to what the worker is told of it. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { ChunkPack } from "../handler/chunk-pack.ts";
import { ChunkWindow } from "../handler/chunk-window.ts";
import type { Job, LogFields } from "../handler/contract.ts";
import { invoke, type Invocation } from "../handler/invoke.ts";
import { JobContext, type Voice } from "../handler/job-context.ts";
import type { LoadedHandler } from "../handler/read-module.ts";
import type { LogLevel } from "../pipe/tagged-lines.ts";
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob } from "../protocol/outcome.ts";
import type { S3Config } from "../storage/contract.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Environment } from "../storage/settings.ts";

/** What all invocations of a worker share. */
export interface InvocationTerms {
  /** What setup gave. */
  readonly state: unknown;
  readonly volumePath: string | undefined;
  /** Where each invocation makes its directory. */
  readonly tempRoot: string;
  /** Says where objects are kept. */
  readonly storageEnv: Environment;
}

/** Where what a handler does goes to. */
export interface InvocationEvents {
  chunks(batch: ChunkBatch): void;
  progress(value: Uint8Array): void;
  log(level: LogLevel, message: string, fields: LogFields | undefined): void;
  /** The handler asked to be set up anew. */
  refresh(): void;
}

/** How the handler ended: with JSON text or without, or with a failure. */
export type HandlerEnd = { readonly output: Buffer | undefined } | { readonly failure: Failure };

export class InProcessInvocation implements Voice, Invocation {
  readonly context: JobContext;
  readonly window = new ChunkWindow();
  readonly #terms: InvocationTerms;
  readonly #events: InvocationEvents;
  readonly #pack: ChunkPack;
  #tempDir: string | undefined;

  /** @throws SyntaxError when the job's input is no JSON */
  constructor(handed: HandedJob, terms: InvocationTerms, events: InvocationEvents) {
    this.#terms = terms;
    this.#events = events;
    this.#pack = new ChunkPack((batch) => events.chunks(batch));
    const { executionTimeoutMs: remainingMs, traceparent } = handed;
    const jobTerms = { remainingMs, traceparent };
    this.context = new JobContext(readJob(handed), jobTerms, this, terms.state);
  }

  get volumePath(): string | undefined {
    return this.#terms.volumePath;
  }

  /** Never rejects. */
  async run(handler: LoadedHandler): Promise<HandlerEnd> {
    const result = await invoke(handler, this);
    this.#pack.flush();
    if (this.#tempDir !== undefined) await removeAll(this.#tempDir);
    if (result.kind === "failed") return { failure: result.failure };
    return { output: result.output === undefined ? undefined : Buffer.from(result.output) };
  }

  abort(): void {
    this.context.abort();
    this.window.release();
  }

  sendChunk(_index: number, line: string | Buffer): void {
    if (this.#pack.isEmpty) setImmediate(() => this.#pack.flush());
    this.#pack.add(line);
  }

  progress(json: Buffer): void {
    this.#events.progress(json);
  }

  log(level: LogLevel, message: string, fields?: LogFields): void {
    this.#events.log(level, message, fields);
  }

  refresh(): void {
    this.#events.refresh();
  }

  makeTempDir(): string {
    this.#tempDir = fs.mkdtempSync(path.join(this.#terms.tempRoot, "job-"));
    return this.#tempDir;
  }

  async openStore(): Promise<ObjectStore> {
    const { openStore } = await import("../storage/open-store.ts");
    // An upload that is left is ended by the handler's own stop: there is no process that could die under it.
    const listener = { opened: () => undefined, closed: () => undefined };
    return openStore(this.context.job.s3Config, this.#terms.storageEnv, listener);
  }
}

function readJob({ jobId, attempt, input, s3Config }: HandedJob): Job {
  const job = { id: jobId, input: parse(input), attempt };
  // Checked by the service when the job was submitted.
  return s3Config === undefined ? job : { ...job, s3Config: parse(s3Config) as S3Config };
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
}

/** What cannot be removed goes with the directory that it lies in. */
async function removeAll(directory: string): Promise<void> {
  await fs.promises.rm(directory, { recursive: true, force: true }).catch(() => undefined);
}
