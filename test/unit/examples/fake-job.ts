// Arguments for a handler: a job with an input, and a context that records.
import type { Context, Job } from "sv-runtime";

/** A first attempt at a job with this input. */
export function fakeJob(input: unknown, id = "job-1"): Job {
  return { id, input, attempt: 1 };
}

/** A context with ten minutes left, and the handler's reports. */
export interface FakeContext {
  readonly context: Context;
  readonly progress: readonly unknown[];
  readonly logged: readonly string[];
  /** Uploads by the address that the upload returned. */
  readonly uploaded: ReadonlyMap<string, Buffer>;
}

/** Creates a context for a job that ends when the signal is aborted. */
export function fakeContext(job: Job, signal = new AbortController().signal): FakeContext {
  const progress: unknown[] = [];
  const logged: string[] = [];
  const write = (message: string): void => {
    logged.push(message);
  };
  const uploaded = new Map<string, Buffer>();
  const moves = (): Promise<never> => Promise.reject(new Error("This context only uploads bytes."));
  const context: Context = {
    job,
    signal,
    attempt: job.attempt,
    deadline: 600_000,
    log: { debug: write, info: write, warn: write, error: write },
    state: undefined,
    tempDir: import.meta.dirname,
    volumePath: undefined,
    traceparent: undefined,
    refresh() {},
    async upload(key, body) {
      if (!Buffer.isBuffer(body)) return moves();
      const url = `https://bucket.test/${key}`;
      uploaded.set(url, body);
      return { url, bucket: "bucket", key, sizeBytes: body.length, etag: "etag" };
    },
    uploadDir: moves,
    download: moves,
    progress(value) {
      progress.push(value);
    },
  };
  return { context, progress, logged, uploaded };
}
