/** Starts programs that end when the process of the test does, also when that is killed. */
import { spawnSync } from "node:child_process";

type Command = readonly [program: string, ...args: string[]];

/** Linux alone tells a process that its parent ended. */
const canBeTold = spawnSync("setpriv", ["--pdeathsig", "SIGKILL", "true"]).status === 0;

/**
 * The command of a program that gets `signal` when the process that starts it ends; as it is where a system cannot do that. The program has the
 * number of the process that is started.
 */
export function endingWithParent(signal: NodeJS.Signals, command: Command): Command {
  return canBeTold ? ["setpriv", "--pdeathsig", signal, ...command] : command;
}

/** Why this is left out here; undefined where it works. */
export const endingIsMissing: string | undefined = canBeTold
  ? undefined
  : "setpriv is missing, and processes are not told that their parent ended";
