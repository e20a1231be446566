#!/usr/bin/env node
/** The program `sv-worker`; `usage.ts` has its help. */
import module from "node:module";
import { needPlatform } from "../load/need-platform.ts";

needPlatform("sv-worker");
// This call comes first, because only later modules come from the cache.
module.enableCompileCache();
void import("./worker-program.ts").then(({ runWorkerProgram }) => runWorkerProgram());
