/** Ends a handler process and all processes that it started, from either end of the pipe. */
import { setTimeout as delay } from "node:timers/promises";
import { system } from "../system/system.ts";

/** Environment variable that marks a handler process and all its descendants. Each handler process has a different value. */
export const MARKER_NAME = "SV_HANDLER_PROCESS";

/** Sends the signal to each process of the group. A missing group is no error. */
export function signalGroup(leaderPid: number, signal: "SIGTERM" | "SIGKILL"): void {
  sendSignal(-leaderPid, signal);
}

/**
 * Kills the group of a child, and descendants outside that group: they have the variable `name` with the value `marker` in their
 * environment. A process that is just being started may be missed: `endMarked` finds it.
 */
export function killTree(leaderPid: number, name: string, marker: string): void {
  // The search comes first, because some processes can only be found before the leader ends.
  const pids = system().marked(`${name}=${marker}`, leaderPid);
  signalGroup(leaderPid, "SIGKILL");
  signalAll(pids, "SIGKILL");
}

/**
 * Kills a process that has the variable `name` with the value `marker` in its environment, its group, and all others with this
 * variable. Without the variable it has ended, and another process may have its number.
 */
export async function endLeftover(pid: number, name: string, marker: string): Promise<void> {
  if (system().marked(`${name}=${marker}`).includes(pid)) signalGroup(pid, "SIGKILL");
  await endMarked(name, marker);
}

/** Kills the process tree of the caller. The caller's own group is killed last. */
export function killOwnTree(): void {
  const marker = process.env[MARKER_NAME];
  try {
    if (marker !== undefined) signalMarked(MARKER_NAME, marker, "SIGKILL", process.pid);
  } finally {
    signalGroup(process.pid, "SIGKILL");
  }
}

const LOOKS = 50;
const LOOK_AGAIN_MS = 20;

/**
 * Kills all processes that have the variable `name` with the value `marker` in their environment, and repeats this until none
 * is left: a process may have been starting at the first search, and a killed process keeps its memory, also of a GPU, until it
 * is gone. Gives up after a second, because a process may hang in the kernel.
 */
export async function endMarked(name: string, marker: string): Promise<void> {
  for (let look = 0; look < LOOKS && killMarked(name, marker) > 0; look += 1) {
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Kills all processes that have the variable `name` with the value `marker` in their environment. Returns their number, which
 * includes processes that were killed before and are not gone yet.
 */
export function killMarked(name: string, marker: string): number {
  return signalMarked(name, marker, "SIGKILL").length;
}

/**
 * Sends a signal to all marked processes except this one, and returns their ids.
 *
 * @param root this process or a child of it that is marked so: its descendants are found, too, where no environment is shown
 */
export function signalMarked(
  name: string,
  marker: string,
  signal: "SIGKILL" | "SIGSTOP" | "SIGCONT",
  root?: number,
): readonly number[] {
  const pids = system().marked(`${name}=${marker}`, root);
  signalAll(pids, signal);
  return pids;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) if (pid !== process.pid) sendSignal(pid, signal);
}

/**
 * Sends a signal. Failures are ignored: the process may be gone, or be another user's. macOS refuses to signal a group of
 * zombies.
 */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
