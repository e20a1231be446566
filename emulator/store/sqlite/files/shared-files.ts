/**
 * Payload files that are being read. All readers of a file share its handle and the comparison with its checksum. Only a few files
 * are open at a time, even if readers are slow. A removed file stays until its last reader has finished.
 */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import { Slots } from "../../slots.ts";

/** Maximum number of files that are open between two reads. */
const OPEN_MAX = 64;

/** Maximum number of slices whose memory is kept for the next reader. */
const SPARE_SLICES_MAX = 64;

/** Maximum number of concurrent reads; Node has four threads for them. */
const READS_AT_ONCE = 8;

interface UsedFile {
  readonly path: string;
  users: number;
  reads: number;
  handle: Promise<FileHandle> | undefined;
  isDoomed: boolean;
  /** Comparisons of content with its checksum, by range. */
  readonly compared: Map<string, Promise<void>>;
}

export class SharedFiles {
  readonly #files = new Map<string, UsedFile>();
  /** Files with a handle, the least recently read first. */
  readonly #open = new Set<UsedFile>();
  readonly #slots = new Slots(READS_AT_ONCE);
  readonly #spareSlices: Buffer[] = [];
  readonly #remove: (path: string) => Promise<void>;

  /** @param remove removes a file without readers */
  constructor(remove: (path: string) => Promise<void>) {
    this.#remove = remove;
  }

  /** Keeps the file until it is disposed of. */
  use(path: string): FileUse {
    const file = this.#files.get(path) ?? {
      ...{ path, users: 0, reads: 0, handle: undefined, isDoomed: false },
      compared: new Map<string, Promise<void>>(),
    };
    this.#files.set(path, file);
    file.users += 1;
    return new FileUse(file, {
      read: (into, at) => this.#read(file, into, at),
      close: () => this.#close(file),
      slice: () => this.#spareSlices.pop() ?? Buffer.allocUnsafeSlow(SLICE_MAX_BYTES),
      giveBack: (slice) => {
        if (this.#spareSlices.length < SPARE_SLICES_MAX) this.#spareSlices.push(slice);
      },
    });
  }

  async remove(path: string): Promise<void> {
    const file = this.#files.get(path);
    if (file) file.isDoomed = true;
    else await this.#remove(path);
  }

  /** Returns the number of bytes read. It is smaller than `into` at the end of the file. */
  async #read(file: UsedFile, into: Buffer, at: number): Promise<number> {
    using _ = await this.#slots.take();
    file.reads += 1;
    try {
      const handle = await this.#handleOf(file);
      let filled = 0;
      while (filled < into.byteLength) {
        const left = into.byteLength - filled;
        const { bytesRead } = await handle.read(into, filled, left, at + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    } finally {
      file.reads -= 1;
    }
  }

  #handleOf(file: UsedFile): Promise<FileHandle> {
    this.#open.delete(file);
    this.#open.add(file);
    file.handle ??= fs.promises.open(file.path, "r").catch((error: unknown) => {
      this.#open.delete(file);
      file.handle = undefined;
      throw error;
    });
    for (const oldest of this.#open) {
      if (this.#open.size <= OPEN_MAX) break;
      if (oldest.reads === 0) void this.#closeHandle(oldest);
    }
    return file.handle;
  }

  async #closeHandle(file: UsedFile): Promise<void> {
    const { handle } = file;
    file.handle = undefined;
    this.#open.delete(file);
    await (await handle)?.close();
  }

  async #close(file: UsedFile): Promise<void> {
    file.users -= 1;
    if (file.users > 0) return;
    this.#files.delete(file.path);
    await this.#closeHandle(file);
    if (file.isDoomed) await this.#remove(file.path);
  }
}

interface FileUseActs {
  readonly read: (into: Buffer, at: number) => Promise<number>;
  readonly close: () => Promise<void>;
  readonly slice: () => Buffer;
  readonly giveBack: (slice: Buffer) => void;
}

export class FileUse implements AsyncDisposable {
  readonly #file: UsedFile;
  readonly #acts: FileUseActs;
  #isClosed = false;

  constructor(file: UsedFile, acts: FileUseActs) {
    this.#file = file;
    this.#acts = acts;
  }

  get path(): string {
    return this.#file.path;
  }

  /** Fills `into` from byte `at` of the file on. Returns the number of bytes read. */
  read(into: Buffer, at: number): Promise<number> {
    return this.#acts.read(into, at);
  }

  /** Returns memory for one slice. Give it back after use, because memory of many readers is garbage-collected late. */
  slice(): Buffer {
    return this.#acts.slice();
  }

  giveBack(slice: Buffer): void {
    this.#acts.giveBack(slice);
  }

  /** Runs `compare`, unless another reader has compared, or is comparing, the same range of the file. */
  compared(range: string, compare: () => Promise<void>): Promise<void> {
    const { compared } = this.#file;
    const known = compared.get(range) ?? compare();
    compared.set(range, known);
    known.catch(() => compared.delete(range));
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#acts.close();
  }
}
