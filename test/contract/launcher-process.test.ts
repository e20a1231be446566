/** The process launcher keeps the contract of all launchers. */
import { renameSync, writeFileSync } from "node:fs";
import { createProcessLauncher } from "../../emulator/launch/processes/process-launcher.ts";
import { processesMarked } from "../e2e/jobs/observe.ts";
import { temporaryTree } from "../temporary-tree.ts";
import { launcherContract } from "./launcher.contract.ts";
import { type LauncherSubject, templateNamed } from "./launcher/subject.ts";

launcherContract("processes", async (): Promise<LauncherSubject> => {
  const tree = await temporaryTree({ "worker.cjs": "" });
  const mark = `CONTRACT=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const lines: string[] = [];
  const launcher = createProcessLauncher({
    program: tree.path("worker.cjs"),
    serverProgram: "/none",
    serviceAddress: () => "unix:/nowhere",
    handlerOf: ({ imageName }) => (imageName === "sv.local/contract" ? "/handler.ts" : undefined),
    extraEnv: () => ({ [name]: value }),
    line: ({ workerId }, line) => lines.push(`${workerId}: ${line}`),
  });
  return {
    launcher,
    templateOf(code) {
      // At once: a worker that was launched before may be reading it.
      writeFileSync(tree.path("next.cjs"), code);
      renameSync(tree.path("next.cjs"), tree.path("worker.cjs"));
      return templateNamed("sv.local/contract");
    },
    foreign: templateNamed("somebody/image:1"),
    lines,
    left: async () => processesMarked(mark).length,
    async [Symbol.asyncDispose]() {
      await launcher.close();
      await tree[Symbol.asyncDispose]();
    },
  };
});
