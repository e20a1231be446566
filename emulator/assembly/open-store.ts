/** Opens the store that the options ask for: SQLite in the data directory, or memory. */
import fs from "node:fs";
import type { Clock } from "../core/time/clock.ts";
import type { Observation } from "./observation.ts";
import type { EmulatorOptions } from "../options.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { sqliteDefect } from "../sqlite/sqlite-version.ts";
import type { Store } from "../store/store.ts";

/** @throws StoreInUseError, StoreUnusableError, StoreFullError for the data directory */
export async function openStore(
  { dataDir: directory }: EmulatorOptions,
  clock: Clock,
  { metrics, log }: Observation,
): Promise<Store> {
  if (directory === undefined) return createMemoryStore();
  const defect = sqliteDefect(process.versions);
  if (defect !== undefined) log.warn({}, defect);
  const store = await openSqliteStore({
    directory,
    onCommit: (durationMs) => metrics.committed(1, durationMs),
    onDamage({ message }) {
      log.error(
        {},
        `nothing more is read or stored, for the data directory is damaged: ${message}`,
      );
    },
    clock,
    onRemoval(lost) {
      if (lost) log.error({ directory }, `${lost.message}: nothing is stored until it is back`);
      else log.info({ directory }, "the data directory is back; everything is stored again");
    },
  });
  warnIfFull(directory, log);
  return store;
}

function warnIfFull(directory: string, log: Observation["log"]): void {
  if (!isFull(directory)) return;
  const meaning = "what is stored can be read, what would be stored is refused with 507";
  log.warn({ directory }, `the disk of the data directory ${directory} is full: ${meaning}`);
}

/** False also where the file system does not say how large it is. */
function isFull(directory: string): boolean {
  try {
    const { blocks, bavail } = fs.statfsSync(directory);
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}
