/** One job inside the handler process: connects what the handler does to the frames that tell of it. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import type { FrameChannel } from "../pipe/frame-channel.ts";
import { type ChunksHead, REPORT, type RunHead } from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import { logLine, type LogLevel } from "../pipe/tagged-lines.ts";
import { LIMITS } from "../protocol/limits.ts";
import { ChunkPack } from "./chunk-pack.ts";
import { ChunkWindow } from "./chunk-window.ts";
import type { S3Config } from "../storage/contract.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Job, LogFields } from "./contract.ts";
import { invoke, type InvocationResult } from "./invoke.ts";
import { JobContext, type Voice } from "./job-context.ts";
import type { Printing } from "./printing.ts";
import type { LoadedHandler } from "./read-module.ts";

/** Progress values of one job leave this far apart at least; the newest wins. */
const PROGRESS_INTERVAL_MS = 100;

/** What all invocations of a process share. */
export interface InvocationTerms {
  readonly channel: FrameChannel;
  readonly printing: Printing;
  /** Where each invocation makes its directory. */
  readonly tempRoot: string;
  readonly volumePath: string | undefined;
  /** What setup gave. */
  readonly state: unknown;
  /** The clock of deadlines, ms. */
  readonly now: () => number;
  /** An invocation asked for a fresh process. */
  refresh(): void;
}

export class JobInvocation implements Voice {
  readonly slot: number;
  readonly jobId: string;
  readonly context: JobContext;
  readonly window = new ChunkWindow();
  readonly #terms: InvocationTerms;
  readonly #pack = new ChunkPack(({ firstIndex, count, lines }) => {
    const head: ChunksHead = { firstIndex, count };
    this.#terms.channel.send(REPORT.chunks, this.slot, head, lines);
  });
  #newestProgress: Buffer | undefined;
  #progressTimer: NodeJS.Timeout | undefined;

  /** @throws SyntaxError when the frame's payload is no JSON */
  constructor(frame: Frame, terms: InvocationTerms) {
    this.slot = frame.slot;
    this.#terms = terms;
    // Written by the supervisor of this very process.
    const head = JSON.parse(frame.head) as RunHead;
    this.jobId = head.jobId;
    const job = readJob(head, frame.payload);
    const { remainingMs, traceparent } = head;
    this.context = new JobContext(job, { remainingMs, traceparent }, this, terms.state, terms.now);
  }

  async run(handler: LoadedHandler): Promise<void> {
    const result = await invoke(handler, this);
    clearTimeout(this.#progressTimer);
    this.#newestProgress = undefined;
    this.#terms.printing.end(this.jobId);
    this.#report(result);
  }

  abort(): void {
    this.context.abort();
    this.window.release();
  }

  sendChunk(_index: number, line: string | Buffer): void {
    if (this.#pack.isEmpty) this.#terms.channel.beforeFlush(() => this.#pack.flush());
    this.#pack.add(line);
  }

  progress(json: Buffer): void {
    this.#newestProgress = json;
    if (this.#progressTimer !== undefined) return;
    this.#sendProgress();
  }

  log(level: LogLevel, message: string, fields?: LogFields): void {
    const entry = { level, message, ...(fields === undefined ? {} : { fields }) };
    this.#terms.printing.line(logLine(this.jobId, entry, LIMITS.logLineMaxBytes));
  }

  refresh(): void {
    this.#terms.refresh();
  }

  makeTempDir(): string {
    const directory = path.join(this.#terms.tempRoot, String(this.slot));
    // Said before it is done: what was half made is removed as well.
    this.#terms.channel.send(REPORT.tempDir, this.slot, undefined);
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  get volumePath(): string | undefined {
    return this.#terms.volumePath;
  }

  async openStore(): Promise<ObjectStore> {
    const { openStore } = await import("../storage/open-store.ts");
    const { channel } = this.#terms;
    return openStore(this.context.job.s3Config, process.env, {
      opened: (upload) => {
        channel.send(REPORT.uploadOpened, this.slot, upload);
        // A handler that blocks the loop from here on is heard of all the same.
        channel.flush();
      },
      closed: (uploadId) => channel.send(REPORT.uploadClosed, this.slot, { uploadId }),
    });
  }

  #sendProgress(): void {
    const newest = this.#newestProgress;
    this.#newestProgress = undefined;
    this.#progressTimer = undefined;
    if (newest === undefined) return;
    this.#terms.channel.send(REPORT.progress, this.slot, undefined, newest);
    this.#progressTimer = setTimeout(() => this.#sendProgress(), PROGRESS_INTERVAL_MS);
  }

  #report(result: InvocationResult): void {
    this.#pack.flush();
    if (result.kind === "failed") {
      this.#terms.channel.send(REPORT.failed, this.slot, result.failure);
      return;
    }
    const hasOutput = result.output !== undefined;
    const payload = hasOutput ? Buffer.from(result.output) : undefined;
    this.#terms.channel.send(REPORT.completed, this.slot, { hasOutput }, payload);
  }
}

function readJob(head: RunHead, payload: Uint8Array): Job {
  const { jobId, attempt, s3Bytes = 0 } = head;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const inputBytes = bytes.length - s3Bytes;
  const input: unknown = JSON.parse(bytes.toString("utf8", 0, inputBytes));
  if (s3Bytes === 0) return { id: jobId, input, attempt };
  // Checked by the service when the job was submitted.
  const s3Config = JSON.parse(bytes.toString("utf8", inputBytes)) as S3Config;
  return { id: jobId, input, attempt, s3Config };
}
