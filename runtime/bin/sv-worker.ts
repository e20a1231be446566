#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` says what it can be asked for. */
import module from "node:module";
import { needPlatform } from "../load/need-platform.ts";

needPlatform("sv-worker");
// Before anything else is loaded: only from here on it comes out of the cache.
module.enableCompileCache();
void import("./worker-program.ts").then(({ runWorkerProgram }) => runWorkerProgram());
