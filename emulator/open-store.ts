/** Opens the store that the options of the service ask for. */
import type { ServiceMetrics } from "./core/metrics/service-metrics.ts";
import type { EmulatorOptions } from "./options.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { sqliteDefect } from "./store/sqlite/sqlite-version.ts";
import type { Store } from "./store/store.ts";

/** Where the store's commits are counted, and what is to be said of it is said. */
interface StoreWatch {
  readonly metrics: ServiceMetrics;
  readonly log: { warn(fields: object, message: string): void };
}

/** @throws StoreInUseError, StoreUnusableError, StoreFullError for the data directory */
export async function openStore(
  { dataDir: directory }: EmulatorOptions,
  { metrics, log }: StoreWatch,
): Promise<Store> {
  if (directory === undefined) return createMemoryStore();
  const defect = sqliteDefect(process.versions);
  if (defect !== undefined) log.warn({}, defect);
  const onCommit = (steps: number, durationMs: number) => metrics.committed(steps, durationMs);
  return openSqliteStore({ directory, onCommit });
}
