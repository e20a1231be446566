/** The process launcher keeps the contract of all launchers. */
import { createProcessLauncher } from "../../emulator/launch/processes/process-launcher.ts";
import { launcherContract } from "./launcher.contract.ts";
import { processSubject, SERVED } from "./launcher/process-subject.ts";

launcherContract("processes", () =>
  processSubject((launching, tree) =>
    createProcessLauncher({
      ...launching,
      program: tree.path("worker.cjs"),
      serverProgram: "/none",
      handlerOf: ({ imageName }) => (imageName === SERVED ? "/handler.ts" : undefined),
    }),
  ),
);
