/** Reports a job's events in the handler process to the supervisor, as frames. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import type { FrameChannel } from "../../pipe/frame-channel.ts";
import { type ChunksHead, REPORT, type RunHead } from "../../pipe/frame-kinds.ts";
import type { Frame } from "../../pipe/frames.ts";
import { logLine } from "../../pipe/tagged-lines.ts";
import type { LogLevel } from "../../protocol/worker-log.ts";
import type { ChunkBatch } from "../../protocol/chunk-batch.ts";
import { LIMITS } from "../../protocol/limits.ts";
import type { S3Config } from "../../storage/contract.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Attributed } from "./attribution.ts";
import type { LogFields } from "../contract.ts";
import { JobInvocation, type JobPort, readJob } from "./invocation.ts";
import type { InvocationResult } from "./invoke.ts";
import type { Printing } from "../printing.ts";

/** Values that all jobs of a process share. */
export interface ProcessTerms {
  readonly channel: FrameChannel;
  readonly printing: Printing;
  /** Parent of the jobs' directories. */
  readonly tempRoot: string;
  readonly volumePath: string | undefined;
  /** The result of `setup`. */
  readonly state: unknown;
  /** The clock of deadlines, ms. */
  readonly now: () => number;
  /** Called when a job asks for a new process. */
  refresh(): void;
}

export class FramePort implements JobPort, Attributed {
  readonly slot: number;
  readonly jobId: string;
  readonly #terms: ProcessTerms;
  readonly #s3Config: S3Config | undefined;

  constructor(run: Attributed, s3Config: S3Config | undefined, terms: ProcessTerms) {
    this.slot = run.slot;
    this.jobId = run.jobId;
    this.#s3Config = s3Config;
    this.#terms = terms;
  }

  chunks({ firstIndex, count, lines }: ChunkBatch): void {
    const head: ChunksHead = { firstIndex, count };
    this.#send(REPORT.chunks, head, lines);
  }

  endOfTurn(flush: () => void): void {
    this.#terms.channel.beforeFlush(flush);
  }

  progress(json: Buffer): void {
    this.#send(REPORT.progress, undefined, json);
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
    // The report comes first, so that an incomplete directory is removed too.
    this.#send(REPORT.tempDir);
    // Flushed at once, so that the report is sent even if the handler then blocks the loop.
    this.#terms.channel.flush();
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  get volumePath(): string | undefined {
    return this.#terms.volumePath;
  }

  async openStore(): Promise<ObjectStore> {
    const { openStore } = await import("../../storage/open-store.ts");
    return openStore(this.#s3Config, process.env, {
      opened: (upload) => {
        this.#send(REPORT.uploadOpened, upload);
        this.#terms.channel.flush();
      },
      closed: (uploadId) => this.#send(REPORT.uploadClosed, { uploadId }),
    });
  }

  /** The job's last frame. */
  ended(result: InvocationResult): void {
    this.#terms.printing.end(this.jobId);
    if (result.kind === "failed") return this.#send(REPORT.failed, result.failure);
    const hasOutput = result.output !== undefined;
    const payload = hasOutput ? Buffer.from(result.output) : undefined;
    this.#send(REPORT.completed, { hasOutput }, payload);
  }

  #send(kind: number, head?: object, payload?: Uint8Array): void {
    this.#terms.channel.send(kind, this.slot, head, payload);
  }
}

/** @throws SyntaxError when the frame's payload is no JSON */
export function openInvocation(
  { slot, head, payload }: Frame,
  terms: ProcessTerms,
): { readonly invocation: JobInvocation; readonly port: FramePort } {
  // The supervisor of this process wrote this JSON.
  const { jobId, attempt, remainingMs, traceparent, s3Bytes = 0 } = JSON.parse(head) as RunHead;
  const inputBytes = payload.length - s3Bytes;
  const s3Config = s3Bytes === 0 ? undefined : payload.subarray(inputBytes);
  const job = readJob({ jobId, attempt, input: payload.subarray(0, inputBytes), s3Config });
  const port = new FramePort({ slot, jobId }, job.s3Config, terms);
  const { state, now } = terms;
  return {
    port,
    invocation: new JobInvocation(job, { remainingMs, traceparent, state, now }, port),
  };
}
