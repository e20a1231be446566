/** Gives a program a terminal of its own, with a tool that every system has. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** `stdin` is the keyboard, `stdout` the screen. When the terminal ends, the program in it ends. */
export function spawnInTerminal(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcessByStdio<Writable, Readable, null> {
  // Without a size every character would be a line.
  const sized = ["sh", "-c", 'stty cols 100 rows 40; exec "$@"', "sh", ...command];
  const args =
    process.platform === "linux"
      ? ["-qec", `exec ${sized.map((part) => `'${part}'`).join(" ")}`, "/dev/null"]
      : ["-q", "/dev/null", ...sized];
  return spawn("/usr/bin/script", args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
}
