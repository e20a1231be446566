/** Opens the store that the options ask for: a PostgreSQL database, SQLite in the data directory, or memory. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/time/clock.ts";
import type { Observation } from "../observation.ts";
import type { EmulatorOptions } from "../../options.ts";
import type { Ownership } from "../../store/ownership.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { DATABASE_FILE } from "../../store/sqlite/files/data-directory.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { sqliteDefect } from "../../sqlite/sqlite-version.ts";
import type { PostgresStore } from "../../store/postgres/postgres-store.ts";
import type { Store } from "../../store/store.ts";
import { workerAddressOf } from "../workers/elsewhere.ts";
import { shareOf } from "./directory-share.ts";
import { openSharedStore } from "./shared-store.ts";

/** `ownership` exists if several emulators may use the store, `serviceTime` if the store is a database. */
export type OpenedStore = Store & {
  readonly ownership?: Ownership | undefined;
  readonly serviceTime?: PostgresStore["serviceTime"];
};

/**
 * Opens the store. It is closed with `made`.
 *
 * @throws StoreInUseError, StoreUnusableError, StoreFullError
 */
export async function openStore(
  options: EmulatorOptions,
  clock: Clock,
  observation: Observation,
  made: AsyncDisposableStack,
): Promise<OpenedStore> {
  const { store: url, dataDir } = options;
  if (dataDir !== undefined) observation.metrics.directoryShare = shareOf(dataDir);
  if (url !== undefined)
    return openInDatabase({ ...options, store: url }, clock, observation, made);
  const store =
    dataDir === undefined
      ? createMemoryStore()
      : await openInDirectory(dataDir, clock, observation);
  made.defer(() => store.close());
  return store;
}

/** Data of this machine alone stays in the data directory. */
async function openInDatabase(
  options: EmulatorOptions & { readonly store: string },
  clock: Clock,
  { metrics, log, readiness }: Observation,
  made: AsyncDisposableStack,
): Promise<OpenedStore> {
  const { dataDir, storeLost } = options;
  const listeners = {
    clock,
    onCommit: metrics.committed,
    onDamage: ({ message }: Error) =>
      log.error({}, `nothing more is read or stored because the database is damaged: ${message}`),
    onLost(error: Error) {
      log.error({}, `nothing more is read or stored by this emulator: ${error.message}`);
      storeLost?.(error);
    },
    onRemoval(lost: Error | undefined) {
      readiness.storeAway(lost !== undefined);
      if (lost) log.error({}, `nothing is stored until the database is back: ${lost.message}`);
      else log.info({}, "the database is back; everything is stored again");
    },
    onBucket(failure: Error | undefined) {
      metrics.isBucketFailing = failure !== undefined;
      const meaning = "jobs with large payloads wait or are refused until it works again";
      if (failure)
        log.error({}, `the bucket for large payloads fails, ${meaning}: ${failure.message}`);
      else log.info({}, "the bucket for large payloads works again");
    },
    onSnapshotAge: (ageMs: number) => void (metrics.oldestSnapshotMs = ageMs),
    warn: (sentence: string) => log.warn({}, sentence),
  };
  const toldToWorkers = workerAddressOf(options);
  const store = await openSharedStore({ ...options, toldToWorkers }, listeners, made);
  readiness.notes = () => store.serviceTime.notes;
  if (options.objects !== undefined) metrics.isBucketFailing = false;
  if (dataDir !== undefined) fs.mkdirSync(dataDir, { recursive: true });
  if (dataDir !== undefined && fs.existsSync(join(dataDir, DATABASE_FILE))) {
    const meaning = "its jobs and records are not served; sv-emulate move copies them";
    log.warn({ directory: dataDir }, `the data directory has a store of its own: ${meaning}`);
  }
  return store;
}

async function openInDirectory(
  directory: string,
  clock: Clock,
  { metrics, log, readiness }: Observation,
): Promise<Store> {
  const defect = sqliteDefect(process.versions);
  if (defect !== undefined) log.warn({}, defect);
  const store = await openSqliteStore({
    directory,
    onCommit: metrics.committed,
    onDamage({ message }) {
      log.error(
        {},
        `nothing more is read or stored because the data directory is damaged: ${message}`,
      );
    },
    clock,
    onRemoval(lost) {
      readiness.storeAway(lost !== undefined);
      if (lost) log.error({ directory }, `${lost.message}: nothing is stored until it is back`);
      else log.info({ directory }, "the data directory is back; everything is stored again");
    },
  });
  warnIfFull(directory, log);
  return store;
}

function warnIfFull(directory: string, log: Observation["log"]): void {
  if (!isFull(directory)) return;
  const meaning = "stored data can be read, requests that store data are refused with 507";
  log.warn({ directory }, `the disk of the data directory ${directory} is full: ${meaning}`);
}

/** Also false for a file system that does not report its size. */
function isFull(directory: string): boolean {
  try {
    const { blocks, bavail } = fs.statfsSync(directory);
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}
