/** Returns the pages of deleted rows to the disk, a few at a time, while the database is idle. */
import type { DatabaseSync } from "node:sqlite";
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { pragma } from "../../sqlite/row.ts";

/** Free pages that stay in the file for new rows: 8 MB. */
const KEPT_PAGES = 2_048;

/** Pages of one step: 2 MB. A step takes a few milliseconds. */
const STEP_PAGES = 512;

const LOOK_EVERY_MS = 1_000;
const NEXT_STEP_MS = 50;

/** Size of the write-ahead log after it was moved into the database. */
const LOG_MAX_BYTES = 16_000_000;

/** Value of `auto_vacuum`: free pages can be returned one by one. */
const INCREMENTAL = 2;

/**
 * Call this on each opened database, before it has tables and a write-ahead log. Writes nothing to a database that already has
 * the setting, because the database must still open on a full disk.
 */
export function allowGivingBack(db: DatabaseSync): void {
  if (pragma(db, "auto_vacuum") !== INCREMENTAL) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  db.exec(`PRAGMA journal_size_limit = ${LOG_MAX_BYTES}`);
}

export class FreeSpace {
  readonly #giveBack: () => boolean | Promise<boolean>;
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #disarm: Disarm | undefined;
  #isStopped = false;

  /** @param clock real time; @param isBusy pauses the work while it returns true */
  constructor(giveBack: () => boolean | Promise<boolean>, clock: Clock, isBusy: () => boolean) {
    this.#giveBack = giveBack;
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#lookIn(LOOK_EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#disarm?.();
  }

  #lookIn(ms: number): void {
    if (this.#isStopped) return;
    this.#disarm = this.#clock.wakeAt(this.#clock.now() + ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    let isMore = false;
    try {
      isMore = !this.#isBusy() && (await this.#giveBack());
    } catch {
      // Ignored: the next write reports a full or failing disk.
    }
    this.#lookIn(isMore ? NEXT_STEP_MS : LOOK_EVERY_MS);
  }
}

/** Gives some of the free pages back to the disk. Returns whether there are more. */
export function giveBackPages(db: DatabaseSync): boolean {
  const free = pragma(db, "freelist_count");
  if (free <= KEPT_PAGES || pragma(db, "auto_vacuum") !== INCREMENTAL) return false;
  db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
  if (free - STEP_PAGES > KEPT_PAGES) return true;
  // The file becomes shorter when the log is moved into it.
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return false;
}
