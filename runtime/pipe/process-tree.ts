/** Ends a handler process together with everything it started, from either end of the pipe. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Marks the environment of a handler process, and so of all its descendants, with a value of its own. */
export const MARKER_NAME = "SV_HANDLER_PROCESS";

/** Asks or forces each process of the group. A group that is gone already is fine. */
export function signalGroup(leaderPid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-leaderPid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

/** Kills the group, and then whatever descendant left it to lead a group or session of its own (Linux only). */
export function killTree(leaderPid: number, marker: string): void {
  signalGroup(leaderPid, "SIGKILL");
  killMarked(MARKER_NAME, marker);
}

/** The same from within: the group comes last, because the caller is in it. */
export function killOwnTree(): void {
  const marker = process.env[MARKER_NAME];
  try {
    if (marker !== undefined) killMarked(MARKER_NAME, marker);
  } finally {
    signalGroup(process.pid, "SIGKILL");
  }
}

const LOOKS = 50;
const LOOK_AGAIN_MS = 20;

/**
 * Kills whatever has the variable `name` with the value `marker` in its environment until nothing does any more (Linux
 * only): one may have been starting at the first look, and a killed one holds its memory, a GPU's too, until it has left.
 * Gives up after a second: a process that hangs in the kernel cannot be waited for.
 */
export async function endMarked(name: string, marker: string): Promise<void> {
  for (let look = 0; look < LOOKS && killMarked(name, marker) > 0; look += 1) {
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Kills all processes that have the variable `name` with the value `marker` in their environment (Linux only). Answers how
 * many there were; one that was killed before may still be on its way out.
 */
export function killMarked(name: string, marker: string): number {
  return signalMarked(name, marker, "SIGKILL").length;
}

/** Sends them that signal, and answers which they are; the process that asks gets none. */
export function signalMarked(
  name: string,
  marker: string,
  signal: "SIGKILL" | "SIGSTOP" | "SIGCONT",
): readonly number[] {
  const pids = markedProcesses(`${name}=${marker}`);
  for (const pid of pids) {
    try {
      if (pid !== process.pid) process.kill(pid, signal);
    } catch (error) {
      if (!hasCode(error, "ESRCH") && !hasCode(error, "EPERM")) throw error;
    }
  }
  return pids;
}

/** Descendants are told by their environment: their parents may be gone, so that no tree leads to them. */
function markedProcesses(wanted: string): number[] {
  return processIds().filter((pid) => environmentOf(pid).includes(wanted));
}

function processIds(): number[] {
  try {
    return fs
      .readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return "";
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
