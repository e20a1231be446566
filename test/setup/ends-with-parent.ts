/** Starts programs that end when the process of the test ends, even if it is killed. */
import { spawnSync } from "node:child_process";

type Command = readonly [program: string, ...args: string[]];

/** Only Linux tells a process that its parent ended. */
const canBeTold = spawnSync("setpriv", ["--pdeathsig", "SIGKILL", "true"]).status === 0;

/**
 * The command of a program that gets `signal` when its parent ends; unchanged on a system that cannot do that. The
 * program has the process id of the started process.
 */
export function endingWithParent(signal: NodeJS.Signals, command: Command): Command {
  return canBeTold ? ["setpriv", "--pdeathsig", signal, ...command] : command;
}

/** Reason that this is left out here; undefined if it works. */
export const endingIsMissing: string | undefined = canBeTold
  ? undefined
  : "setpriv is missing, and processes are not told that their parent ended";
