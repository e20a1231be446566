/** Finds processes of this machine by a mark in their environment, whoever their parents are. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Ids of the processes whose environment has `mark`, as `NAME=value`; this process is left out. */
export function processesMarked(mark: string): number[] {
  return fs
    .readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isMarked(pid, mark));
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return false;
  }
}

/**
 * What `look` answers, once it answers anything but undefined; looks again and again.
 *
 * @throws Error that says `what` was waited for when `limitMs` have passed
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = 20_000,
): Promise<T> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`after ${limitMs} ms still not: ${what}`);
    await delay(10);
  }
}
