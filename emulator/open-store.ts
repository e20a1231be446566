/** Opens the store that the options of the service ask for. */
import type { ServiceMetrics } from "./core/metrics/service-metrics.ts";
import type { EmulatorOptions } from "./options.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";

interface OpenStoreParts {
  readonly metrics: ServiceMetrics;
  readonly log: { error(fields: object, message: string): void };
}

/** @throws StoreInUseError, StoreUnusableError, StoreFullError for the data directory */
export async function openStore(
  { dataDir: directory }: EmulatorOptions,
  { metrics, log }: OpenStoreParts,
): Promise<Store> {
  if (directory === undefined) return createMemoryStore();
  const onCommit = (steps: number, durationMs: number) => metrics.committed(steps, durationMs);
  const onDamage = ({ message }: Error) =>
    log.error({}, `nothing more is read or stored, for the data directory is damaged: ${message}`);
  return openSqliteStore({ directory, onCommit, onDamage });
}
