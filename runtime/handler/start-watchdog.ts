/** Starts the thread that ends this process when its supervisor is gone. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SHARE_ENV, Worker } from "node:worker_threads";

/** A few megabytes are plenty for a thread that waits for one event. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export function startWatchdog(): void {
  const here = fileURLToPath(import.meta.url);
  const file = path.join(path.dirname(here), `watchdog${path.extname(here)}`);
  const watchdog = new Worker(file, { execArgv: [], env: SHARE_ENV, resourceLimits });
  watchdog.unref();
}
