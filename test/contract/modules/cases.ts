/** All cases of modules. Each place in which a handler runs answers them in the same way. */
import { FILES } from "./file-cases.ts";
import type { ModuleCase } from "./module-case.ts";
import { PROGRAMS } from "./program-cases.ts";
import { PROJECTS } from "./project-cases.ts";
import { REQUIRING } from "./requiring-cases.ts";

/** By what they are about. */
export const MODULE_CASES: Readonly<Record<string, readonly ModuleCase[]>> = {
  "`require` and CommonJS": REQUIRING,
  "Files that are not code": FILES,
  "tsconfig.json": PROJECTS,
  "Threads and processes": PROGRAMS,
};
