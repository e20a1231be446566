/** Ends a worker that knows nothing of the emulator when the emulator is gone. */
import { spawn } from "node:child_process";

/** Waits until nobody holds the other end of its standard input any more. */
const GUARD = 'read -r nothing; kill -KILL "-$0"';

/**
 * Has the process group of `leaderPid` killed when this process is gone, however it went: a small shell waits for that.
 * Answers what calls the guard off, to be called when the leader has ended.
 */
export function endWithUs(leaderPid: number): () => void {
  const guard = spawn("/bin/sh", ["-c", GUARD, String(leaderPid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return () => void guard.kill("SIGKILL");
}
