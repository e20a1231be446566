/** What a job in the worker's own process does, told to the worker by calls. */
import fs from "node:fs";
import path from "node:path";
import type { LogFields } from "../handler/contract.ts";
import type { JobPort } from "../handler/job/invocation.ts";
import type { LogLevel } from "../pipe/tagged-lines.ts";
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { S3Config } from "../storage/contract.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Environment } from "../storage/settings.ts";

/** What all jobs of a worker share. */
export interface LocalTerms {
  readonly volumePath: string | undefined;
  /** Where each job makes its directory. */
  readonly tempRoot: string;
  /** Says where objects are kept. */
  readonly storageEnv: Environment;
}

/** Where what a job does goes to. */
export interface LocalJobEvents {
  chunks(batch: ChunkBatch): void;
  progress(value: Uint8Array): void;
  log(level: LogLevel, message: string, fields: LogFields | undefined): void;
  /** The handler asked to be set up anew. */
  refresh(): void;
}

export class LocalPort implements JobPort {
  readonly #terms: LocalTerms;
  readonly #s3Config: S3Config | undefined;
  readonly #events: LocalJobEvents;
  #tempDir: string | undefined;

  constructor(terms: LocalTerms, s3Config: S3Config | undefined, events: LocalJobEvents) {
    this.#terms = terms;
    this.#s3Config = s3Config;
    this.#events = events;
  }

  get volumePath(): string | undefined {
    return this.#terms.volumePath;
  }

  chunks(batch: ChunkBatch): void {
    this.#events.chunks(batch);
  }

  endOfTurn(flush: () => void): void {
    setImmediate(flush);
  }

  progress(json: Uint8Array): void {
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
    return openStore(this.#s3Config, this.#terms.storageEnv, listener);
  }

  /** The job is over. What cannot be removed goes with the directory that it lies in. */
  async removeTempDir(): Promise<void> {
    if (this.#tempDir === undefined) return;
    await fs.promises.rm(this.#tempDir, { recursive: true, force: true }).catch(() => undefined);
  }
}
