/** Starts the thread that ends this process when its supervisor is gone. */
import path from "node:path";
import { programFile } from "../pipe/program-file.ts";

/** Memory limits of the thread. It only waits for one event. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

let isStarted = false;

/** Call it before user code that may block this thread. Idempotent. */
export function startWatchdog(): void {
  if (isStarted) return;
  isStarted = true;
  // Loaded here, because a static import would delay the load of the handler.
  const threads = process.getBuiltinModule("node:worker_threads");
  const file = path.join(import.meta.dirname, programFile("watchdog"));
  const watchdog = new threads.Worker(file, {
    execArgv: [],
    env: threads.SHARE_ENV,
    resourceLimits,
  });
  watchdog.unref();
}
