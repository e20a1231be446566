/** Test subject for launchers that run workers as processes: each worker runs the file `worker.cjs` with its test's code. */
import fs from "node:fs";
import type { Launcher, WorkerOrder } from "../../../emulator/launch/launcher.ts";
import { processesMarked } from "../../e2e/jobs/observe.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type LauncherSubject, templateNamed } from "./subject.ts";

/** Arguments of each of these launchers. */
export interface ProcessLaunching {
  readonly serviceAddress: () => string;
  readonly extraEnv: () => Readonly<Record<string, string>>;
  readonly line: (order: WorkerOrder, line: string) => void;
}

/** The only image, which stands for a program of this machine. */
export const SERVED = "sv.local/contract";

export async function processSubject(
  create: (launching: ProcessLaunching, tree: TemporaryTree) => Launcher,
): Promise<LauncherSubject & { readonly tree: TemporaryTree }> {
  const tree = await temporaryTree({ "worker.cjs": "" });
  const mark = crypto.randomUUID();
  const lines: string[] = [];
  const launching = {
    serviceAddress: () => "unix:/nowhere",
    extraEnv: () => ({ CONTRACT: mark }),
    line: ({ workerId }: WorkerOrder, line: string) => void lines.push(`${workerId}: ${line}`),
  };
  const launcher = create(launching, tree);
  return {
    launcher,
    tree,
    templateOf(code) {
      // The file is replaced at once: a worker that was launched before may be reading it.
      fs.writeFileSync(tree.path("next.cjs"), code);
      fs.renameSync(tree.path("next.cjs"), tree.path("worker.cjs"));
      return templateNamed(SERVED);
    },
    foreign: templateNamed("somebody/image:1"),
    lines,
    left: async () => processesMarked(`CONTRACT=${mark}`).length,
    async [Symbol.asyncDispose]() {
      await launcher.close();
      await tree[Symbol.asyncDispose]();
    },
  };
}
