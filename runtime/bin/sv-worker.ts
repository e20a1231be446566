#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` says what it can be asked for. */
import module from "node:module";
import { needPlatform } from "../load/need-platform.ts";

needPlatform("sv-worker");
// First of all: only modules loaded after this call come from the cache.
module.enableCompileCache();
void import("./worker-program.ts").then(({ runWorkerProgram }) => runWorkerProgram());
