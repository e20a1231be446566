/** The contract of every place in which a handler runs: the same modules can be loaded there, with the same output. */
import fs from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryTree } from "../temporary-tree.ts";
import { MODULE_CASES } from "./modules/cases.ts";
import type { ModuleCase } from "./modules/module-case.ts";

/** Runs one job of the handler. Resolves with its output, or rejects with an error whose message says why it cannot be loaded. */
export type RunOnce = (handler: string, root: string) => Promise<unknown>;

/** @param few whether one case runs of tsconfig.json, and one of threads */
export function modulesContract(place: string, runOnce: RunOnce, few = false): void {
  const kinds = Object.entries(MODULE_CASES).slice(few ? -2 : 0);
  describe.each(kinds)(`modules in ${place}: %s`, (_, cases) => {
    test.each(few ? cases.slice(0, 1) : cases)("$what", async (given) => {
      await using tree = await temporaryTree({});
      const handler = await writeCase(tree.root, given);
      const run = runOnce(handler, tree.root);
      if (given.refused === undefined) expect(await run).toEqual(given.output);
      else await expect(run).rejects.toThrow(given.refused);
    });
  });
}

/** Writes the source tree. Returns the path of the handler. */
async function writeCase(
  folder: string,
  { files, links = {}, handler = "handler.ts" }: ModuleCase,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, content);
  }
  for (const [name, target] of Object.entries(links)) {
    const link = path.join(folder, name);
    await fs.mkdir(path.dirname(link), { recursive: true });
    await fs.symlink(path.relative(path.dirname(link), path.join(folder, target)), link);
  }
  return path.join(folder, handler);
}
