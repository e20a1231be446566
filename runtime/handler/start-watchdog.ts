/** Starts the thread that ends this process when its supervisor is gone. */
import path from "node:path";
import { programFile } from "../pipe/program-file.ts";

/** A few megabytes are plenty for a thread that waits for one event. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

let isStarted = false;

/** Call before anything of the user's that may block this thread. Idempotent. */
export function startWatchdog(): void {
  if (isStarted) return;
  isStarted = true;
  // Imported above, it would be loaded before the handler is.
  const threads = process.getBuiltinModule("node:worker_threads");
  const file = path.join(import.meta.dirname, programFile("watchdog"));
  const watchdog = new threads.Worker(file, {
    execArgv: [],
    env: threads.SHARE_ENV,
    resourceLimits,
  });
  watchdog.unref();
}
