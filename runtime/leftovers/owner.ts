/** Names of files that tell which process they belong to, and whether that process still runs. */
import fs from "node:fs";
import os from "node:os";

/** A process of this machine, so that no later one with the same number is taken for it. */
interface Owner {
  /** Where process numbers mean the same: this machine since its start, and within it a container. */
  readonly scope: string;
  readonly pid: number;
  /** When it was started; empty where that cannot be known. */
  readonly start: string;
}

export type Ownership = "mine" | "alive" | "dead" | "unknown";

const RADIX = 36;
const SCOPE_LENGTH = 6;
let me: Owner | undefined;

/** `kind` with a mark of this process; what makes it unique has to be added, behind another `-`. Short, for socket paths. */
export function ownedName(kind: string): string {
  const { scope, pid, start } = self();
  return `${kind}-${scope}-${pid.toString(RADIX)}-${start}`;
}

/** Whose `name` is, if it was made with `kind`; undefined for any other name. `unknown`: of another machine or container. */
export function ownershipOf(kind: string, name: string): Ownership | undefined {
  if (!name.startsWith(`${kind}-`)) return undefined;
  const match = /^([0-9a-z]{6})-([0-9a-z]{1,8})-([0-9a-z]*)-/u.exec(name.slice(kind.length + 1));
  if (match === null) return undefined;
  const [, scope = "", pidText = "", start = ""] = match;
  const mine = self();
  if (scope !== mine.scope) return "unknown";
  const pid = Number.parseInt(pidText, RADIX);
  if (pid === mine.pid && start === mine.start) return "mine";
  return isRunning(pid, start) ? "alive" : "dead";
}

/** No job is older than its time to live, 7 days at most: what is older than this holds nothing of a running one. */
const SURELY_DEAD_MS = 8 * 24 * 3_600_000;

/** Whether nobody needs what has that name and was made then: its process is dead, or nobody here knows it and it is 8 days old. */
export function isAbandoned(kind: string, name: string, madeAt: number, now: number): boolean {
  const ownership = ownershipOf(kind, name);
  return ownership === "dead" || (ownership === "unknown" && madeAt < now - SURELY_DEAD_MS);
}

function self(): Owner {
  me ??= { scope: readScope(), pid: process.pid, start: startOf(process.pid) ?? "" };
  return me;
}

function isRunning(pid: number, start: string): boolean {
  if (start !== "") return startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, but for somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** In ticks since the machine's start; undefined when there is no such process any more, or no /proc. */
function startOf(pid: number): string | undefined {
  const stat = attempt(() => fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
  // Behind the second field, a name in brackets that may hold anything: the third is the state, the 22nd the start.
  const [state = "Z", ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return "ZX".includes(state) ? undefined : Number(rest[18]).toString(RADIX);
}

function readScope(): string {
  const machine = attempt(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  const container = attempt(() => fs.readlinkSync("/proc/self/ns/pid"));
  const known = `${machine ?? os.hostname()} ${container ?? ""}`;
  // Imported above, it would hold up the start of a worker's handler process.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256").update(known).digest();
  return digest
    .readUIntBE(0, SCOPE_LENGTH)
    .toString(RADIX)
    .padStart(SCOPE_LENGTH, "0")
    .slice(-SCOPE_LENGTH);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
