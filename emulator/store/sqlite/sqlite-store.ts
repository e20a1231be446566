/**
 * The store on disk: a SQLite database, and files for large payloads. A thread has the database open, so that the main thread
 * never waits for the disk.
 */
import type { Clock } from "../../core/time/clock.ts";
import {
  StoreClosedError,
  type StoreDamagedError,
  type StoreLostError,
} from "../../core/store-error.ts";
import type { Batch } from "../batch.ts";
import { batchOutOfOrder } from "../batch-refusals.ts";
import type { Store } from "../store.ts";
import {
  FILE_MIN_BYTES,
  type Payload,
  type PayloadDamage,
  PayloadDamagedError,
} from "../payload.ts";
import { databaseFile } from "./files/data-directory.ts";
import { PayloadFiles } from "./files/payload-files.ts";
import { RemovalWatch } from "./files/removal-watch.ts";
import { FreeSpace } from "./free-space.ts";
import { DataCheck } from "./integrity/data-check.ts";
import type { FoundPayload } from "./integrity/find-damage.ts";
import { DamageGuard } from "../damage-guard.ts";
import { encodeBatch } from "./thread/encode-batch.ts";
import { ThreadLink } from "./thread/thread-link.ts";
import { ThreadReads } from "./thread/thread-reads.ts";

export interface SqliteStoreOptions {
  /** The data directory. If it does not exist, it is made for this user only. */
  readonly directory: string;
  /** Called after each commit with its duration. Must not throw. */
  readonly onCommit?: (durationMs: number) => void;
  /** Called once, when damage is found. The store does nothing afterwards. Must not throw. */
  readonly onDamage?: (damage: StoreDamagedError) => void;
  /** Real time, for checks of the directory and the return of free space. Without a clock neither is done. */
  readonly clock?: Clock;
  /** Called with an error when the directory is gone, and with undefined when it is back. Must not throw. */
  readonly onRemoval?: (lost: StoreLostError | undefined) => void;
}

/**
 * Opens the store of a data directory.
 *
 * @throws StoreInUseError when another emulator uses the directory; StoreUnusableError when the directory is not
 *   writable, is a file, is damaged, or was written by another version; StoreFullError when there is no room for a new
 *   one.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const thread = await ThreadLink.open(options.directory);
  try {
    const files = new PayloadFiles(options.directory);
    // A crash between writing and committing leaves files without a row.
    return new SqliteStore(options, thread, files, await files.names());
  } catch (error) {
    await thread.close();
    throw error;
  }
}

class SqliteStore extends ThreadReads implements Store {
  readonly #options: SqliteStoreOptions;
  readonly #found: readonly string[];
  readonly #check: DataCheck;
  readonly #removalWatch: RemovalWatch | undefined;
  readonly #freeSpace: FreeSpace | undefined;
  /** Numbers of the last stored batch and of the last batch that was to be stored. */
  #stored: number;
  #flushed: number;
  #closing: Promise<void> | undefined;

  constructor(
    options: SqliteStoreOptions,
    thread: ThreadLink,
    files: PayloadFiles,
    found: readonly string[],
  ) {
    super(thread, files, new DamageGuard(options.onDamage));
    this.#options = options;
    this.#found = found;
    this.#stored = thread.stored;
    this.#flushed = this.#stored;
    const file = databaseFile(options.directory);
    const keep = () => thread.ask("keepDatabase");
    this.#check = new DataCheck({ keep, letChange: () => thread.ask("letDatabaseChange") }, file);
    const { clock, onRemoval = () => undefined } = options;
    if (clock === undefined) return;
    this.#removalWatch = new RemovalWatch(file, clock, onRemoval);
    const isBusy = () => this.#check.isLooking || thread.isBusy;
    this.#freeSpace = new FreeSpace(() => thread.ask("giveBackPages"), clock, isBusy);
  }

  async flush(batch: Batch): Promise<void> {
    if (this.damageGuard.damage) throw this.damageGuard.damage;
    this.#refuseUseless();
    if (batch.number !== this.#flushed + 1) throw batchOutOfOrder(batch.number, this.#flushed);
    await this.files.staged.takeFor(batch.changes, () => this.#write(batch));
  }

  async stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    this.#refuseUseless();
    const sizeBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes < FILE_MIN_BYTES) return parts.map((bytes) => ({ kind: "inline", bytes }));
    return (await this.files.stage(parts)).map((range) => ({ kind: "file", ...range }));
  }

  async discard(payload: Payload): Promise<void> {
    if (payload.kind === "file") await this.files.staged.discard(payload);
  }

  check(): Promise<readonly PayloadDamage[]> {
    return this.damageGuard.guard(async () => {
      const payloads = await this.#look();
      if (payloads === undefined) return [];
      for (const name of await this.thread.ask("unreferred", this.#found))
        await this.files.remove(name);
      return payloads.map(toDamage);
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  protected override refuseClosed(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
  }

  #refuseUseless(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
    if (this.#removalWatch?.lost) throw this.#removalWatch.lost;
  }

  async #write(batch: Batch): Promise<void> {
    this.#flushed = batch.number;
    try {
      const { commitMs, dropped } = await this.thread.flush(batch.number, encodeBatch(batch));
      this.#stored = batch.number;
      for (const name of dropped) void this.files.remove(name);
      this.#options.onCommit?.(commitMs);
    } catch (error) {
      this.#flushed = this.#stored;
      this.damageGuard.note(error);
      throw error;
    }
  }

  /** Looks again if another thread has opened the database meanwhile, because that changes its file. */
  async #look(): Promise<readonly FoundPayload[] | undefined> {
    for (;;) {
      const { starts } = this.thread;
      try {
        const found = await this.#check.look();
        if (this.thread.starts === starts) return found;
      } catch (error) {
        if (this.thread.starts === starts) throw error;
      }
    }
  }

  async #close(): Promise<void> {
    await this.#check.stop();
    this.#freeSpace?.stop();
    await Promise.all([this.#removalWatch?.stop(), this.thread.close(), this.files.settle()]);
  }
}

function toDamage({ place, finding, checksum, jobId }: FoundPayload): PayloadDamage {
  return { damage: new PayloadDamagedError(place, finding, { checksum }), jobId };
}
