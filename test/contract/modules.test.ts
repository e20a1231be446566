/** Runs the contract of modules in the test kit. */
import { runHandler } from "../../runtime/testing.ts";
import { modulesContract } from "./modules.contract.ts";

modulesContract("the test kit", async (handler) => (await runHandler(handler, {})).output);
