/** Processes from /proc, and memory from the files of control groups, on Linux. */
import { Buffer } from "node:buffer";
import fs from "node:fs";

const RADIX = 36;

/** Files with the counter of out-of-memory kills: of cgroup v2 inside and outside of a container, then of v1. */
const EVENTS_FILE = "/sys/fs/cgroup/memory.events";
const V1_FILE = "/sys/fs/cgroup/memory/memory.oom_control";

/** Maximum descendants of a process that are counted. */
const PROCESSES_MAX = 100;

/** Maximum ancestors of this process that are looked at. */
const ANCESTORS_MAX = 100;

export class LinuxSystem {
  /** Finds processes by their environment alone, because their parents may have ended. */
  marked(mark: string): readonly number[] {
    return processIds().filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(mark));
  }

  /** The start in ticks since the machine's start. */
  startOf(pid: number): string | undefined {
    const { state, start } = statOf(pid);
    return "ZX".includes(state) ? undefined : Number(start).toString(RADIX);
  }

  isRunning(pid: number, start: string): boolean {
    return this.startOf(pid) === start;
  }

  mayRun(pid: number, start: string): boolean {
    return this.isRunning(pid, start);
  }

  unmarkedAncestor(marks: readonly string[]): number | undefined {
    // Variables are read byte by byte.
    const wanted = marks.map((mark) => Buffer.from(mark).toString("latin1"));
    let pid = process.ppid;
    for (let looked = 0; pid > 1 && looked < ANCESTORS_MAX; looked += 1) {
      const variables = read(`/proc/${pid}/environ`).split("\0");
      const isHidden = variables.length === 1;
      if (!isHidden && !wanted.every((mark) => variables.includes(mark))) return pid;
      pid = statOf(pid).parent;
    }
    return undefined;
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

function statOf(pid: number) {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is a name in brackets with any characters. The third is the state, the fourth the parent, the 22nd the start.
  const [state = "", parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state, parent: Number(parent), start: rest[17] };
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
