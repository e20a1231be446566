/** Opens the store that the options of the service ask for. */
import type { ServiceMetrics } from "./core/metrics/service-metrics.ts";
import type { EmulatorOptions } from "./options.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";

/** @throws StoreInUseError, StoreUnusableError, StoreFullError for the data directory */
export async function openStore(
  { dataDir: directory }: EmulatorOptions,
  metrics: ServiceMetrics,
): Promise<Store> {
  if (directory === undefined) return createMemoryStore();
  const onCommit = (steps: number, durationMs: number) => metrics.committed(steps, durationMs);
  return openSqliteStore({ directory, onCommit });
}
