#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` says what it can be asked for. */
import module from "node:module";

module.enableCompileCache();
const { runWorkerProgram } = await import("./worker-program.ts");
await runWorkerProgram();
