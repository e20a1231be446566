/** Tells whether the kernel killed a process of this machine or container for lack of memory. */
import fs from "node:fs";

/** The counter of cgroup v2, inside a container and outside, then that of v1. */
const EVENT_FILES = ["/sys/fs/cgroup/memory.events", ownGroupFile()];
const V1_FILE = "/sys/fs/cgroup/memory/memory.oom_control";

/** How often it happened so far; undefined where it cannot be known. */
export function countOomKills(): number | undefined {
  for (const file of [...EVENT_FILES, V1_FILE]) {
    const count = file === undefined ? undefined : readCounter(file);
    if (count !== undefined) return count;
  }
  return undefined;
}

function readCounter(file: string): number | undefined {
  const match = /^oom_kill (\d+)$/mu.exec(read(file));
  return match === null ? undefined : Number(match[1]);
}

function ownGroupFile(): string | undefined {
  const match = /^0::(.+)$/mu.exec(read("/proc/self/cgroup"));
  return match === null ? undefined : `/sys/fs/cgroup${match[1]}/memory.events`;
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
