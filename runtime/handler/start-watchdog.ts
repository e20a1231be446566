/** Starts the thread that ends this process when its supervisor is gone. */
import path from "node:path";
import { SHARE_ENV, Worker } from "node:worker_threads";
import { programFile } from "../pipe/program-file.ts";

/** A few megabytes are plenty for a thread that waits for one event. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export function startWatchdog(): void {
  const file = path.join(import.meta.dirname, programFile("watchdog"));
  const watchdog = new Worker(file, { execArgv: [], env: SHARE_ENV, resourceLimits });
  watchdog.unref();
}
