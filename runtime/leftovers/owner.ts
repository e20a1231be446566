/** Names of files that tell which process they belong to, and whether that process still runs. */
import { system } from "../system/system.ts";

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

/** `kind` with a mark of this process; add a unique part after another `-`. Short, for socket paths. */
export function ownedName(kind: string): string {
  const { scope, pid, start } = self();
  return `${kind}-${scope}-${pid.toString(RADIX)}-${start}`;
}

/**
 * The owner of `name`, if it was made with `kind`; undefined for any other name. `unknown` for a process of another machine or
 * container, and where the system does not tell.
 */
export function ownershipOf(kind: string, name: string): Ownership | undefined {
  if (!name.startsWith(`${kind}-`)) return undefined;
  const match = /^([0-9a-z]{6})-([0-9a-z]{1,8})-([0-9a-z]*)-/u.exec(name.slice(kind.length + 1));
  if (match === null) return undefined;
  const [, scope = "", pidText = "", start = ""] = match;
  const mine = self();
  if (scope !== mine.scope) return "unknown";
  const pid = Number.parseInt(pidText, RADIX);
  if (pid === mine.pid && start === mine.start) return "mine";
  const runs = isRunning(pid, start);
  if (runs === undefined) return "unknown";
  return runs ? "alive" : "dead";
}

/** Minimum age of a leftover that cannot belong to a running job: no job lives longer than 7 days. */
const SURELY_DEAD_MS = 8 * 24 * 3_600_000;

/** Whether a file with that name and time has no owner any more: its process is dead, or is unknown here and the file is 8 days old. */
export function isAbandoned(kind: string, name: string, madeAt: number, now: number): boolean {
  const ownership = ownershipOf(kind, name);
  return ownership === "dead" || (ownership === "unknown" && madeAt < now - SURELY_DEAD_MS);
}

function self(): Owner {
  me ??= { scope: scopeHere(), pid: process.pid, start: system().startOf(process.pid) ?? "" };
  return me;
}

function isRunning(pid: number, start: string): boolean | undefined {
  if (start !== "") return system().isRunning(pid, start);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function scopeHere(): string {
  // Imported above, it would hold up the start of a worker's handler process.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256").update(system().scope()).digest();
  return digest
    .readUIntBE(0, SCOPE_LENGTH)
    .toString(RADIX)
    .padStart(SCOPE_LENGTH, "0")
    .slice(-SCOPE_LENGTH);
}
