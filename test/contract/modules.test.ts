/** Runs the contract of modules in the test kit. */
import path from "node:path";
import { vi } from "vitest";
import { runHandler } from "../../runtime/testing.ts";
import { modulesContract } from "./modules.contract.ts";

modulesContract("the test kit", async (handler, root) => {
  vi.stubEnv("XDG_CACHE_HOME", path.join(root, "cache"));
  return (await runHandler(handler, {})).output;
});
