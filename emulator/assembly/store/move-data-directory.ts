/** Moves what a data directory keeps into a PostgreSQL database. */
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
  /** The data directory, of which no emulator may run. */
  readonly dataDir: string;
  /** `postgres://…`, a database without anything of an emulator in it; or with a part of this move, when that was interrupted. */
  readonly store: string;
  /** `s3://…`, for large payloads; by default the database has them. */
  readonly objects?: string;
  /** Called now and then with how many jobs have been copied. */
  readonly progress?: (jobs: number) => void;
  /** Called with what is worth knowing about the database. */
  readonly warn?: (sentence: string) => void;
}

/**
 * Copies jobs with their payloads and streams, webhook deliveries, reports and records. The objects of the object store, the
 * files of volumes and the key of secrets stay in the data directory. Nothing in that directory changes.
 *
 * @returns how much there is in the database then
 * @throws StoreInUseError while an emulator uses either; StoreUnusableError for what cannot be read, or a database with
 *   something else in it; StoreFullError; RangeError for what is no address
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
  // Tables that a killed move has just made say so.
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
