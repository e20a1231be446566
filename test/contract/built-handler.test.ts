/** Runs the contract of handler builders against its adapter. */
import { EsbuildHandler } from "../../emulator/reload/esbuild-handler.ts";
import { builtHandlerContract } from "./built-handler.contract.ts";

builtHandlerContract("esbuild", (path, folder) => new EsbuildHandler(path, folder, "built"));
