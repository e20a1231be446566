#!/usr/bin/env node
/**
 * `sv-worker [handler]`: runs a handler as a worker of the service named by the environment (see `WORKER_ENV`).
 *
 * Exit codes: 0 drained · 1 stopped by a second signal · 2 usage: a variable or argument is missing · 3 the handler
 * cannot be made ready · 4 the service refused this worker.
 */
import module from "node:module";

module.enableCompileCache();
const { runWorkerProgram } = await import("./worker-program.ts");
await runWorkerProgram();
