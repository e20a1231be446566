/** Opens the store that the options of the service ask for. */
import type { Clock } from "./core/clock.ts";
import type { Observation } from "./observation.ts";
import type { EmulatorOptions } from "./options.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { sqliteDefect } from "./store/sqlite/sqlite-version.ts";
import type { Store } from "./store/store.ts";

/** @throws StoreInUseError, StoreUnusableError, StoreFullError for the data directory */
export async function openStore(
  { dataDir: directory }: EmulatorOptions,
  clock: Clock,
  { metrics, log }: Observation,
): Promise<Store> {
  if (directory === undefined) return createMemoryStore();
  const defect = sqliteDefect(process.versions);
  if (defect !== undefined) log.warn({}, defect);
  return openSqliteStore({
    directory,
    onCommit: (steps, durationMs) => metrics.committed(steps, durationMs),
    onDamage({ message }) {
      log.error(
        {},
        `nothing more is read or stored, for the data directory is damaged: ${message}`,
      );
    },
    clock,
    onPresence(lost) {
      if (lost) log.error({ directory }, `${lost.message}: nothing is stored until it is back`);
      else log.info({ directory }, "the data directory is back; everything is stored again");
    },
  });
}
