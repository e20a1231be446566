/** Finds processes by a mark in their environment, regardless of their parents. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { PROC } from "../../setup/proc.ts";
import { LOOK_MS } from "../../setup/patience.ts";

/** State of a process when it was looked at. */
export interface ObservedProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly commandLine: string;
  /** Start time in ticks of the machine's clock. */
  readonly startedAt: number;
}

/** Processes with `mark`, as `NAME=value`, in their environment; this process is left out. */
export function processesMarked(mark: string): ObservedProcess[] {
  return fs
    .readdirSync(PROC)
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .flatMap((pid) => observed(pid, mark));
}

function observed(pid: number, mark: string): ObservedProcess[] {
  try {
    const read = (name: string) => fs.readFileSync(`${PROC}/${pid}/${name}`, "utf8");
    if (!read("environ").split("\0").includes(mark)) return [];
    const parentPid = Number(/^PPid:\s+(\d+)$/m.exec(read("status"))?.[1]);
    const commandLine = read("cmdline").replaceAll("\0", " ").trim();
    // Field 22; field 2 is a name in brackets that may contain blanks.
    const startedAt = Number(read("stat").split(") ").at(-1)?.split(" ")[19]);
    return [{ pid, parentPid, commandLine, startedAt }];
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

/** Peak resident memory of the process. */
export function peakBytes({ pid }: Pick<ObservedProcess, "pid">): number {
  const status = fs.readFileSync(`${PROC}/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** Starts the measurement. Returns the present resident memory. */
export function resetPeakBytes({ pid }: Pick<ObservedProcess, "pid">): number {
  fs.writeFileSync(`${PROC}/${pid}/clear_refs`, "5");
  return peakBytes({ pid });
}

/**
 * Polls `look` until its result is not undefined, less often over time.
 * @throws Error that names `what` after `limitMs`
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = LOOK_MS,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const passedMs = performance.now() - since;
    if (passedMs > limitMs) throw new Error(`after ${limitMs} ms still not: ${what}`);
    await delay(Math.min(Math.max(10, passedMs / 20), 100));
  }
}
