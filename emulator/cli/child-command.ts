/** Runs a command in place of this program: with its input, output and signals. */
import { spawn } from "node:child_process";

/** Signals that are passed on to the command. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The end of a command. With a `problem` it did not start. */
export type CommandEnd =
  | { readonly exitCode: number; readonly problem?: string }
  | { readonly signal: NodeJS.Signals };

const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

export async function runChild(
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CommandEnd> {
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  const child = spawn(program, args, { stdio: "inherit", env });
  child.once("error", (error: NodeJS.ErrnoException) => {
    const isMissing = error.code === "ENOENT";
    const problem = isMissing
      ? `there is no command ${program}`
      : `${program} cannot be run: ${error.message}`;
    resolve({ exitCode: isMissing ? NOT_FOUND : NOT_RUNNABLE, problem });
  });
  child.once("exit", (code, signal) =>
    resolve(signal === null ? { exitCode: code ?? 0 } : { signal }),
  );
  const passOn = (signal: NodeJS.Signals) => {
    // On Ctrl-C the terminal signals the command as well.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    return await promise;
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

/** Ends this program by the signal that ended the command, or returns the command's exit code. */
export async function endAs(end: CommandEnd): Promise<number> {
  if ("exitCode" in end) return end.exitCode;
  process.removeAllListeners(end.signal);
  process.kill(process.pid, end.signal);
  // The signal ends this program.
  return new Promise(() => undefined);
}
