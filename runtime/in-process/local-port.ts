/** Reports the events of a job that runs in the worker's own process, by plain calls. */
import fs from "node:fs";
import path from "node:path";
import type { JobPort } from "../handler/job/invocation.ts";
import type { S3Config } from "../storage/contract.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Environment } from "../protocol/environment/worker-env.ts";

/** Settings that all jobs of a worker share. */
export interface LocalTerms {
  readonly volumePath: string | undefined;
  /** Parent of the jobs' directories. */
  readonly tempRoot: string;
  /** Variables that describe the object storage. */
  readonly storageEnv: Environment;
}

/** Callbacks of the worker about a job. */
type LocalJobEvents = Pick<JobPort, "chunks" | "progress" | "log" | "refresh">;

export class LocalPort implements JobPort {
  readonly chunks: JobPort["chunks"];
  readonly progress: JobPort["progress"];
  readonly log: JobPort["log"];
  readonly refresh: JobPort["refresh"];
  readonly #terms: LocalTerms;
  readonly #s3Config: S3Config | undefined;
  /** The directory of the job; undefined if it asked for none. */
  tempDir: string | undefined;

  constructor(terms: LocalTerms, s3Config: S3Config | undefined, events: LocalJobEvents) {
    this.#terms = terms;
    this.#s3Config = s3Config;
    this.chunks = events.chunks;
    this.progress = events.progress;
    this.log = events.log;
    this.refresh = events.refresh;
  }

  get volumePath(): string | undefined {
    return this.#terms.volumePath;
  }

  endOfTurn(flush: () => void): void {
    setImmediate(flush);
  }

  makeTempDir(): string {
    this.tempDir = fs.mkdtempSync(path.join(this.#terms.tempRoot, "job-"));
    return this.tempDir;
  }

  async openStore(): Promise<ObjectStore> {
    const { openStore } = await import("../storage/open-store.ts");
    // The handler's stop ends an open upload: no process can die during it.
    const listener = { opened: () => undefined, closed: () => undefined };
    return openStore(this.#s3Config, this.#terms.storageEnv, listener);
  }

  /** Removes the directory of an ended job. The rest is removed with its parent. */
  async removeTempDir(directory: string): Promise<void> {
    await fs.promises.rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}
