/**
 * Bytes that arrive and may be many. They arrive in memory while there is plenty of room, else in a file without a name, so that slow
 * senders take no memory from others: they wait for room when they are complete.
 */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { SLICE_BYTES } from "../core/jobs/raw-json/scan.ts";
import { freeAlone, freeMemory, largeMemory } from "../core/jobs/free-memory.ts";
import type { BodyRoom } from "../core/jobs/submission.ts";
import { ServiceError } from "../core/service-error.ts";
import { BodyInMemory, type BodySpace } from "./body-space.ts";

interface LargeBodyOptions {
  /** The memory for large bodies, of which this one takes its share. */
  readonly inFlight: {
    take(bytes: number, signal: AbortSignal, waitMs: number): Promise<Disposable | undefined>;
    takeNow(bytes: number): Disposable | undefined;
  };
  /** The length that the sender announced, if it did. */
  readonly declared: number | undefined;
  /** Aborts when the sender has gone; its reason is what a wait for room ends with. */
  readonly signal: AbortSignal;
  /** Memory for that many bytes; by default it is freed at once with the body. */
  readonly memoryFor?: (sizeBytes: number) => Buffer;
  /** Bytes around each chunk in its memory that nobody needs; default 0. */
  readonly frameBytes?: number;
}

/** Bytes kept of a body that lies in a file: how it begins, if it is not read on. */
const BEGINNING_BYTES = 65_536;

export class LargeBody implements BodySpace, BodyRoom {
  readonly #options: LargeBodyOptions;
  readonly #memory: BodyInMemory | undefined;
  #share: Disposable | undefined;
  #size = 0;
  #beginning: Buffer | undefined;
  #unwritten: Uint8Array[] = [];
  #unwrittenBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #file: FileHandle | undefined;
  #isOver = false;
  #whole: Buffer | undefined;

  constructor(options: LargeBodyOptions) {
    this.#options = options;
    const { declared, inFlight, memoryFor } = options;
    if (declared === undefined) return;
    const isSmall = declared <= SLICE_BYTES;
    if (!isSmall) this.#share = inFlight.takeNow(declared);
    if (isSmall || this.#share) this.#memory = new BodyInMemory(declared, memoryFor);
  }

  get size(): number {
    return this.#memory?.size ?? this.#size;
  }

  add(chunk: Uint8Array): boolean {
    if (this.#memory) return this.#memory.add(chunk);
    this.#beginning ??= Buffer.from(chunk.subarray(0, BEGINNING_BYTES));
    this.#unwritten.push(chunk);
    this.#unwrittenBytes += chunk.length;
    this.#size += chunk.length;
    return false;
  }

  fillsSlice(): boolean {
    return this.#memory?.fillsSlice() ?? this.#unwrittenBytes >= SLICE_BYTES;
  }

  flushed(): Promise<void> {
    if (this.#unwritten.length === 0) return this.#writing;
    const chunks = this.#unwritten;
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
    this.#writing = this.#writing.then(() => this.#write(chunks));
    return this.#writing;
  }

  beginning(): Buffer {
    return this.#memory?.beginning() ?? this.#beginning ?? Buffer.alloc(0);
  }

  /** @throws ServiceError too_much_in_flight; the reason of the signal */
  async whole(): Promise<Buffer> {
    if (this.#memory) return (this.#whole = this.#memory.whole());
    if (!this.#file) return Buffer.concat(this.#unwritten, this.#size);
    await this.flushed();
    const { inFlight, memoryFor = largeMemory, signal } = this.#options;
    this.#share = await inFlight.take(this.#size, signal, LIMITS.requestMs);
    if (signal.aborted) this.#share?.[Symbol.dispose]();
    signal.throwIfAborted();
    const whole = memoryFor(this.#size);
    this.#whole = whole;
    for (let at = 0; at < whole.byteLength;) {
      const { bytesRead } = await this.#file.read(whole, at, whole.byteLength - at, at);
      if (bytesRead === 0) throw new Error("a body that was being received lost bytes of its file");
      at += bytesRead;
    }
    await this.#close();
    return whole;
  }

  free(): void {
    if (this.#share && this.#whole) freeMemory(this.#whole);
    this.#whole = undefined;
    this[Symbol.dispose]();
  }

  /** The body is not needed any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#share?.[Symbol.dispose]();
    this.#writing
      .catch(() => undefined)
      .then(() => this.#close())
      .catch(() => undefined);
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    try {
      this.#file ??= await openNameless();
      for (const chunk of chunks) {
        if (this.#isOver) return;
        await this.#file.writeFile(chunk);
        freeAlone(chunk, this.#options.frameBytes);
      }
    } catch (error) {
      throw unwritable(error);
    }
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** Nothing of it is left, however this process ends. */
async function openNameless(): Promise<FileHandle> {
  const file = path.join(os.tmpdir(), `sv-body-${randomUUID()}`);
  const handle = await fs.promises.open(file, "wx+", 0o600);
  await fs.promises.rm(file, { force: true });
  return handle;
}

/** The refusal for a directory of temporary files that takes nothing more. */
function unwritable(cause: unknown): ServiceError {
  const directory = os.tmpdir();
  const what = `a large body, which is kept in ${directory} while it arrives`;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new ServiceError(
      "storage_full",
      `there is no room for ${what}; free some space there, or set TMPDIR to another directory`,
      { cause },
    );
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError("storage_failed", `there is no place for ${what}: ${why}`, { cause });
}
