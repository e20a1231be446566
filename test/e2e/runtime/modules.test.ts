/** Runs the contract of modules in `sv-emulate` and in `sv-worker run`. */
import fs from "node:fs";
import path from "node:path";
import { createClient } from "../../../runtime/client/index.ts";
import { modulesContract } from "../../contract/modules.contract.ts";
import { IS_FULL } from "../../setup/size.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { runToEnd } from "../run-to-end.ts";

const worker = path.resolve(import.meta.dirname, "../../../dist/runtime/sv-worker.cjs");

modulesContract(
  "sv-worker run",
  async (handler, cwd) => {
    const args = [worker, "run", handler, "--input", "{}"];
    const { code, stdout, stderr } = await runToEnd(process.execPath, args, {
      cwd,
      env: { ...process.env, XDG_CACHE_HOME: path.join(cwd, "cache") },
    });
    if (code !== 0) throw new Error(unquoted(stderr));
    return JSON.parse(stdout) as unknown;
  },
  !IS_FULL,
);

modulesContract(
  "sv-emulate",
  async (handler, cwd) => {
    const config = path.join(cwd, "sv.config.json");
    fs.writeFileSync(config, JSON.stringify({ endpoints: { modules: { handler } } }));
    await using emulator = await startEmulatorProcess({
      ...{ cwd, args: ["--ephemeral", "--s3-port", "off", "--limits", "off"] },
      env: { XDG_CACHE_HOME: path.join(cwd, "cache") },
    });
    const { url: baseUrl, apiKey } = emulator;
    await using client = createClient({ baseUrl, apiKey });
    const failed = emulator.stderrMatch(/"msg":"worker could not initialize/u);
    const job = client.endpoint("modules").runSync({});
    const result = await Promise.race([job, failed]);
    await emulator.stop();
    if ("output" in result) return result.output;
    throw new Error(unquoted(emulator.stderrLines.join("\n")));
  },
  !IS_FULL,
);

/** The texts of a log in JSON. */
function unquoted(log: string): string {
  return log.replaceAll(String.raw`\"`, '"');
}
