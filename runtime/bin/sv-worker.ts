#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` says what it can be asked for. */
import module from "node:module";
import { runWorkerProgram } from "./worker-program.ts";

module.enableCompileCache();
void runWorkerProgram();
