/** Runs a program of this machine to its end. */
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface ProgramOptions {
  readonly cwd: string;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  /** Nothing of what it writes is shown; otherwise all of it goes to stderr. */
  readonly isQuiet?: boolean;
}

/** Resolves with what went wrong, in words; undefined if nothing did. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, signal, isQuiet = false }: ProgramOptions,
): Promise<string | undefined> {
  const shown = isQuiet ? "ignore" : 2;
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", shown, shown],
    ...(signal !== undefined && { signal }),
  });
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, string | null];
    return code === 0 ? undefined : `it ended with ${killedBy ?? `code ${code}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
