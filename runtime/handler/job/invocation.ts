/** Runs one job of a handler to its end, in a handler process, in the worker's own process or in a test. */
import { Buffer } from "node:buffer";
import type { ChunkBatch } from "../../protocol/chunk-batch.ts";
import { ChunkPack } from "../output/chunk-pack.ts";
import { ChunkWindow } from "../output/chunk-window.ts";
import type { S3Config } from "../../storage/contract.ts";
import type { Job } from "../contract.ts";
import { type Invocable, type Invocation, type InvocationResult, invoke } from "./invoke.ts";
import { type ContextPort, JobContext, type JobTerms } from "./job-context.ts";

/** Limits how often a job's progress is passed on. Of several values within an interval, only the newest is passed on. */
class NewestProgress {
  readonly #send: (json: Buffer) => void;
  readonly #intervalMs: number;
  #newest: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (json: Buffer) => void, intervalMs: number) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  add(json: Buffer): void {
    if (this.#intervalMs === 0) return this.#send(json);
    this.#newest = json;
    if (this.#timer === undefined) this.#sendNewest();
  }

  /** Call it when the job is over. A value that is still waiting is dropped. */
  end(): void {
    clearTimeout(this.#timer);
    this.#newest = undefined;
  }

  #sendNewest(): void {
    const newest = this.#newest;
    this.#newest = undefined;
    this.#timer = undefined;
    if (newest === undefined) return;
    this.#send(newest);
    this.#timer = setTimeout(() => this.#sendNewest(), this.#intervalMs);
  }
}

/** Receives the effects of a handler during a job. */
export interface JobPort extends ContextPort {
  /** Takes consecutive chunks in their order. */
  chunks(batch: ChunkBatch): void;
  progress(json: Buffer): void;
  /** Calls `flush` once, at the end of the event loop's turn. Chunks of one turn are sent together. */
  endOfTurn(flush: () => void): void;
}

/** Minimum interval between progress values of a job. */
const PROGRESS_INTERVAL_MS = 100;

export class JobInvocation implements Invocation {
  readonly context: JobContext;
  readonly #port: JobPort;
  /** Made on first use, because most jobs have no chunks and no progress. */
  #window: ChunkWindow | undefined;
  #pack: ChunkPack | undefined;
  #progress: NewestProgress | undefined;

  /** @param progressIntervalMs minimum interval between progress values; 0 passes each one on */
  constructor(job: Job, terms: JobTerms, port: JobPort, progressIntervalMs = PROGRESS_INTERVAL_MS) {
    this.#port = port;
    this.context = new JobContext(job, terms, port, (json) => {
      this.#progress ??= new NewestProgress((newest) => port.progress(newest), progressIntervalMs);
      this.#progress.add(json);
    });
  }

  get window(): ChunkWindow {
    this.#window ??= new ChunkWindow();
    return this.#window;
  }

  /** Never rejects. When it resolves, all results of the handler have been passed to the port. */
  async run(handler: Invocable): Promise<InvocationResult> {
    const result = await invoke(handler, this);
    this.#progress?.end();
    this.#pack?.flush();
    return result;
  }

  abort(): void {
    this.context.abort();
    this.window.release();
  }

  sendChunk(line: string | Buffer): void {
    const pack = (this.#pack ??= new ChunkPack((batch) => this.#port.chunks(batch)));
    if (pack.isEmpty) this.#port.endOfTurn(() => pack.flush());
    pack.add(line);
  }
}

/** A job as it arrived at this machine. */
interface RawJob {
  readonly jobId: string;
  readonly attempt: number;
  /** JSON text, as is `s3Config`. */
  readonly input: Uint8Array;
  readonly s3Config?: Uint8Array | undefined;
}

/** @throws SyntaxError when the input is no JSON */
export function readJob({ jobId, attempt, input, s3Config }: RawJob): Job {
  const job = { id: jobId, input: parse(input), attempt };
  // Checked by the service when the job was submitted.
  return s3Config === undefined ? job : { ...job, s3Config: parse(s3Config) as S3Config };
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
}
