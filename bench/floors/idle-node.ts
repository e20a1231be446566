/** Floor: a Node process that does nothing. */
import { type ChildProcess, spawn } from "node:child_process";
import { watchOver } from "../processes.ts";

export function spawnIdleNode(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], {
    stdio: "ignore",
  });
  watchOver(child);
  return child;
}
