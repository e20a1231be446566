/**
 * A large body while it arrives: in memory while there is plenty of room, else in a file without a name. Slow senders therefore take
 * no memory from others. A complete body in a file waits for room.
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
  /** The memory for all large bodies. */
  readonly inFlight: {
    take(bytes: number, signal: AbortSignal, waitMs: number): Promise<Disposable | undefined>;
    takeNow(bytes: number): Disposable | undefined;
  };
  /** The length that the sender announced, if any. */
  readonly declared: number | undefined;
  /** Aborts when the sender has gone. A wait for room then rejects with its reason. */
  readonly signal: AbortSignal;
  /** Allocates memory of a size. Default: memory that is freed at once with the body. */
  readonly memoryFor?: (sizeBytes: number) => Buffer;
  /** Unneeded bytes around each chunk in its memory. Default: 0. */
  readonly frameBytes?: number;
}

/** Bytes at the beginning of a body in a file that stay in memory. */
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

/** A file that disappears with this process, however it ends. */
async function openNameless(): Promise<FileHandle> {
  const file = path.join(os.tmpdir(), `sv-body-${randomUUID()}`);
  const handle = await fs.promises.open(file, "wx+", 0o600);
  await fs.promises.rm(file, { force: true });
  return handle;
}

/** The refusal when the directory of temporary files is full or not writable. */
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
