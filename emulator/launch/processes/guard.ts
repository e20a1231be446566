/** A small shell that acts when this process is gone, however it went. */
import { spawn } from "node:child_process";

/** Waits until nobody holds the other end of its standard input any more. */
const WAIT = "read -r nothing; ";

/**
 * Has the shell do `command` when this process is gone; `pids` are its parameters. Answers what calls the guard off, to be called
 * when there is nothing left to guard.
 */
export function whenWeAreGone(command: string, pids: readonly number[]): () => void {
  const guard = spawn("/bin/sh", ["-c", WAIT + command, "sh", ...pids.map(String)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return () => void guard.kill("SIGKILL");
}
