/** Ends multipart uploads that are not completed: their parts would stay for ever. */
import type { BlobFiles } from "./blob-files.ts";
import type { IndexDatabase } from "./index/index-database.ts";
import type { UploadTable } from "./index/upload-table.ts";

/** Service time, which the owner of the store hands in. */
export interface UploadClock {
  now(): number;
  wakeAt(at: number, wake: () => void): () => void;
}

interface ExpiryParts {
  readonly db: IndexDatabase;
  readonly table: UploadTable;
  readonly blobs: BlobFiles;
  /** Wall time, until a clock is given. */
  readonly now: () => number;
}

/** Timeout of an upload. */
const KEPT_MS = 24 * 3_600_000;
/** Maximum uploads that are ended in one turn of the event loop. */
const AT_ONCE = 100;
/** Interval after which a failed end is tried again. */
const RETRY_MS = 60_000;

export class UploadExpiry {
  readonly #parts: ExpiryParts;
  #clock: UploadClock | undefined;
  #disarm: (() => void) | undefined;

  constructor(parts: ExpiryParts) {
    this.#parts = parts;
  }

  /** The moment at which an upload begins. */
  now(): number {
    return this.#clock?.now() ?? this.#parts.now();
  }

  /** Ends uploads by that clock from now on. */
  follow(clock: UploadClock): void {
    this.#clock = clock;
    this.#aim();
  }

  /** Call it when an upload has begun. */
  begun(): void {
    if (this.#disarm === undefined) this.#aim();
  }

  stop(): void {
    this.#disarm?.();
    this.#clock = undefined;
  }

  #aim(notBefore = 0): void {
    this.#disarm?.();
    this.#disarm = undefined;
    const oldest = this.#parts.table.oldest();
    if (oldest === undefined) return;
    const at = Math.max(notBefore, oldest + KEPT_MS);
    this.#disarm = this.#clock?.wakeAt(at, () => this.#endOld());
  }

  #endOld(): void {
    const now = this.now();
    try {
      const { db, table, blobs } = this.#parts;
      const ended = db.transact(() => table.takeBefore(now - KEPT_MS, AT_ONCE));
      blobs.remove(ended.map(({ blob }) => blob.name));
      this.#aim();
    } catch {
      // The disk is full or fails: the uploads stay for now.
      this.#aim(now + RETRY_MS);
    }
  }
}
