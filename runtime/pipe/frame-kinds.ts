/** The messages between a supervisor and its handler process: kinds of frames, and their heads. */
import type { ChunkBatch } from "../protocol/chunk-batch.ts";

/** Kinds of frames from the supervisor to the handler process. */
export const ORDER = {
  /** Load this module. Head: {@link LoadOrderHead}. */
  load: 1,
  /** Begin an invocation. Head: {@link RunHead}; payload: the input, then `s3Bytes` of s3Config. */
  run: 2,
  /** Ask an invocation to stop. No head. */
  abort: 3,
  /** Chunks of an invocation are durable. Head: {@link ReceiptHead}. */
  receipt: 4,
  /** No further job will come: stop the setup or dispose of its result, then exit. No head. */
  leave: 5,
} as const;

/** Kinds of frames from the handler process to the supervisor. */
export const REPORT = {
  /** The handler is loaded. Head: {@link ReadyHead}. */
  ready: 1,
  /** The handler cannot be loaded. Head: {@link InitFailedHead}. */
  initFailed: 2,
  /** An invocation is over. Head: {@link CompletedHead}; payload: the output. */
  completed: 3,
  /** An invocation is over. Head: {@link FailedHead}. */
  failed: 4,
  /** Head: {@link ChunksHead}; payload: the lines of the chunks. */
  chunks: 5,
  /** Payload: the value. */
  progress: 6,
  /** An uncaught error; the process ends itself. The slot names the job, if it is known. Head: {@link FailedHead}. */
  spoiled: 7,
  /** The handler wants another number of jobs at a time. Head: {@link ReadyHead}. */
  concurrency: 8,
  /** The process wants to be replaced by a fresh one when its jobs are done. No head. */
  refresh: 9,
  /** An invocation that came too late for a process that is to be replaced; it has not begun. No head. */
  declined: 10,
  /** An invocation has made its directory. No head. */
  tempDir: 11,
  /** The handler's setup has read its `signal`, so it must be asked to stop before it is killed. No head. */
  setupListens: 12,
  /** An invocation has begun an upload in parts. Head: `OpenUpload`. */
  uploadOpened: 13,
  /** An upload in parts is complete, or was removed. Head: {@link UploadClosedHead}. */
  uploadClosed: 14,
  /** The schemas of the handler, sent once after it is ready. No head; payload: a {@link HandlerSchemas} as JSON. */
  schemas: 15,
} as const;

/** The module to load. */
export interface LoadHead {
  /** The file that Node imports. */
  readonly modulePath: string;
  /** The file that the user wrote. Bare imports are resolved from here. */
  readonly sourcePath: string;
  /** Variables for a process that started without them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The module to load, with the supervisor's additions. */
export interface LoadOrderHead extends LoadHead {
  /** Parent of the directories of invocations, which are named by slot; need not exist. */
  readonly tempRoot: string;
}

export interface RunHead {
  readonly jobId: string;
  readonly attempt: number;
  /** Time left until the deadline when the frame was written, ms. */
  readonly remainingMs: number;
  /** Number of bytes at the end of the payload that are the s3Config. Absent if there is no s3Config. */
  readonly s3Bytes?: number;
  readonly traceparent?: string;
}

export interface ReceiptHead {
  readonly nextIndex: number;
}

export interface ReadyHead {
  readonly concurrency: number;
  /** True: the handler wants to dispose of something before the process ends. */
  readonly disposes?: boolean;
}

export interface InitFailedHead {
  readonly message: string;
  readonly stack?: string;
}

export interface CompletedHead {
  /** True: the payload is the output. */
  readonly hasOutput: boolean;
}

export interface FailedHead {
  readonly type: "handler_error" | "unhandled_error" | "invalid_input" | "invalid_output";
  readonly message: string;
  readonly stack?: string;
}

/** Data of a batch of chunks besides its lines. */
export type ChunksHead = Omit<ChunkBatch, "lines">;

/**
 * Messages of the handler process on its lifeline (a pipe that also shows each side the end of the other), one JSON text per
 * line.
 */
export type LifelineNotice = ExitNotice | PauseNotice;

/** A debugger stops the process, or resumes it. */
export interface PauseNotice {
  readonly isPaused: boolean;
  /** Time of the change by `machineClock`, because the notice may be read later. */
  readonly at: number;
}

export interface UploadClosedHead {
  readonly uploadId: string;
}

/** The process exits on purpose. */
export interface ExitNotice {
  /** The exit code. */
  readonly code: number;
  /** The invocation that called `process.exit`, 0 when it is not known. */
  readonly slot: number;
}

/** File descriptors the supervisor opens for the handler process. */
export const FRAMES_FD = 3;
export const LIFELINE_FD = 4;
