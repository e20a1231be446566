/** Ends processes of the benchmark, and reads their processor time and memory from /proc. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Linux counts processor time for programs in hundredths of a second, whatever its own clock. */
const MS_PER_TICK = 10;
const END_GRACE_MS = 10_000;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Ends the process with the benchmark. */
export function watchOver(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
}

/** Asks the process to end, kills it after ten seconds, and resolves when it has ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = new AbortController();
  const force = wait(END_GRACE_MS, undefined, { signal: patience.signal, ref: false })
    .then(() => child.kill("SIGKILL"))
    .catch(() => undefined);
  await ended;
  patience.abort();
  await force;
}

/** Processor time of all threads so far; 0 without /proc. */
export function cpuMs(pid: number): number {
  return ticks(statFields(pid).slice(11, 13)) * MS_PER_TICK;
}

/** Processor time of a process and its children, including those that have ended. */
export function cpuMsWithChildren(pid: number): number {
  const own = ticks(statFields(pid).slice(11, 15)) * MS_PER_TICK;
  return childPids(pid).reduce((sum, child) => sum + cpuMs(child), own);
}

/** Resident memory of the process; undefined if /proc does not show it. */
export function rssBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(procFile(pid, "status"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Proportional memory of the process: pages that several processes share are divided among them. Undefined if /proc does not show it. */
export function pssBytes(pid: number): number | undefined {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(procFile(pid, "smaps_rollup"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The process and all that it has started, running ones. */
export function familyOf(pid: number): readonly number[] {
  return [pid, ...childPids(pid).flatMap(familyOf)];
}

/** Running processes that the process itself has started. */
export function childPids(pid: number): readonly number[] {
  const threads = listed(`/proc/${pid}/task`);
  return threads
    .flatMap((thread) => procFile(pid, `task/${thread}/children`).split(" "))
    .filter((text) => text.trim() !== "")
    .map(Number);
}

/** The command line of the process, with spaces between the words. */
export function commandLine(pid: number): string {
  return procFile(pid, "cmdline").replaceAll("\0", " ");
}

function ticks(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + Number(field), 0);
}

/**
 * The fields after the program's name, which may contain spaces. From the 12th on: `utime` and `stime` of the process, and of
 * its ended children.
 */
function statFields(pid: number): readonly string[] {
  const text = procFile(pid, "stat");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function procFile(pid: number, name: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function listed(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
