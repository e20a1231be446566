/** Gives a program a terminal of its own, by the one program that everywhere can. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** `stdin` is what is typed, `stdout` all that is shown. The end of the terminal is the end of what runs in it. */
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
