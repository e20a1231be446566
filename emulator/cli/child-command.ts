/** Runs a command as if it had been called in place of this program: with its input, output and signals. */
import { spawn } from "node:child_process";

/** Signals that are meant for the command. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How a command ended; it could not even begin where there is a `problem`. */
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
    // On Ctrl-C the terminal has signalled the command as well.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    return await promise;
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

/** Ends this program as the command ended; gives the exit code where that was no signal. */
export async function endAs(end: CommandEnd): Promise<number> {
  if ("exitCode" in end) return end.exitCode;
  process.removeAllListeners(end.signal);
  process.kill(process.pid, end.signal);
  // The signal is on its way.
  return new Promise(() => undefined);
}
