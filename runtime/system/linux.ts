/** Processes from /proc, and memory from the files of control groups, on Linux. */
import fs from "node:fs";

const RADIX = 36;

/** Files with the counter of out-of-memory kills: of cgroup v2 inside and outside of a container, then of v1. */
const EVENTS_FILE = "/sys/fs/cgroup/memory.events";
const V1_FILE = "/sys/fs/cgroup/memory/memory.oom_control";

/** Maximum descendants of a process that are counted. */
const PROCESSES_MAX = 100;

export class LinuxSystem {
  /** Finds processes by their environment alone, because their parents may have ended. */
  marked(mark: string): readonly number[] {
    return processIds().filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(mark));
  }

  /** The start in ticks since the machine's start. */
  startOf(pid: number): string | undefined {
    const stat = read(`/proc/${pid}/stat`);
    // The second field is a name in brackets with any characters. Of the fields after it, the third is the state, the 22nd the
    // start.
    const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return "ZX".includes(state) ? undefined : Number(rest[18]).toString(RADIX);
  }

  isRunning(pid: number, start: string): boolean {
    return this.startOf(pid) === start;
  }

  scope(): string {
    return `${read("/proc/sys/kernel/random/boot_id")} ${link("/proc/self/ns/pid")}`;
  }

  countOomKills(): number | undefined {
    for (const file of [EVENTS_FILE, ownGroupFile(), V1_FILE]) {
      const [, count] = /^oom_kill (\d+)$/mu.exec(file === undefined ? "" : read(file)) ?? [];
      if (count !== undefined) return Number(count);
    }
    return undefined;
  }

  residentBytes(pid: number): number | undefined {
    let sum: number | undefined;
    const pids = [pid];
    for (let at = 0; at < pids.length && at < PROCESSES_MAX; at += 1) {
      const one = pids[at] ?? 0;
      const [, kib] = /^VmRSS:\s+(\d+) kB$/mu.exec(read(`/proc/${one}/status`)) ?? [];
      if (kib !== undefined) sum = (sum ?? 0) + Number(kib) * 1_024;
      // Node starts processes from its first thread.
      for (const child of read(`/proc/${one}/task/${one}/children`).split(" "))
        if (child !== "") pids.push(Number(child));
    }
    return sum;
  }

  untold(): readonly string[] {
    return [];
  }
}

function processIds(): readonly number[] {
  return fs
    .readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
}

function ownGroupFile(): string | undefined {
  const [, group] = /^0::(.+)$/mu.exec(read("/proc/self/cgroup")) ?? [];
  return group === undefined ? undefined : `/sys/fs/cgroup${group}/memory.events`;
}

/** The content of a file; "" if it cannot be read: the process ended meanwhile, or belongs to another user. */
function read(file: string): string {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function link(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    return "";
  }
}
