#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` says what it can be asked for. */
import module from "node:module";
import v8 from "node:v8";

// Else V8 collects all garbage each time some 30 MB of buffers were made, which a stream does many times a second.
v8.setFlagsFromString("--external-memory-accounted-in-global-limit");
module.enableCompileCache();
const { runWorkerProgram } = await import("./worker-program.ts");
await runWorkerProgram();
