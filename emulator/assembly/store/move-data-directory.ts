/** Copies the content of a data directory into a PostgreSQL database. */
import fs from "node:fs";
import { join, resolve } from "node:path";
import { StoreUnusableError } from "../../core/store-error.ts";
import type { KeptCounts } from "../../store/move/kept-counts.ts";
import { moveMark, moveStore } from "../../store/move/move-store.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import { DATABASE_FILE } from "../../store/sqlite/files/data-directory.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { checkAddresses, openSharedStore } from "./shared-store.ts";
import { createSystemClock } from "../system-clock.ts";

export interface MoveDataDirectoryOptions {
  /** The data directory. No emulator may use it meanwhile. */
  readonly dataDir: string;
  /** `postgres://…`: an empty database, or one with a part of this move that was interrupted. */
  readonly store: string;
  /** `s3://…`, a bucket for large payloads. Default: the database stores them. */
  readonly objects?: string;
  /** Called at intervals with the number of copied jobs. */
  readonly progress?: (jobs: number) => void;
  /** Called with warnings about the database. */
  readonly warn?: (sentence: string) => void;
}

/**
 * Copies jobs with their payloads and streams, webhook deliveries, reports and records. The objects of the object store, the
 * files of volumes and the key of secrets stay in the data directory. The directory is not changed.
 *
 * @returns the content of the database at the end
 * @throws StoreInUseError while an emulator uses either; StoreUnusableError for unreadable data, or a database with other
 *   content; StoreFullError; RangeError for an invalid address
 */
export async function moveDataDirectory(options: MoveDataDirectoryOptions): Promise<KeptCounts> {
  checkAddresses(options);
  const { progress, warn } = options;
  const directory = resolve(options.dataDir);
  if (!fs.existsSync(join(directory, DATABASE_FILE)))
    throw new StoreUnusableError(`${directory} is no data directory: it has no ${DATABASE_FILE}`);
  await using made = new AsyncDisposableStack();
  const from = await openSqliteStore({ directory });
  made.defer(() => from.close());
  // A killed move marks the tables that it made.
  const firstRecord = moveMark(directory, await from.boot());
  const listeners = { clock: createSystemClock(), firstRecord, ...(warn && { warn }) };
  const to = await openSharedStore(options, listeners, made);
  try {
    return await moveStore({ from, to, directory, ...(progress && { progress }) });
  } catch (error) {
    if (!(error instanceof PayloadDamagedError)) throw error;
    throw new StoreUnusableError(
      `${error.message}; make ${directory} whole with sv-emulate repair, and then move it into an empty database`,
      { cause: error },
    );
  }
}
