/** Floor: a Node process that ends as soon as it has started. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watchOver } from "../processes.ts";

/** Time from the spawn to the exit of `node -e 0`, ms. */
export async function nodeMs(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  watchOver(child);
  await once(child, "exit");
  return performance.now() - startedAt;
}
