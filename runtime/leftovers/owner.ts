/** Names of files that identify their process, so that others can check whether it still runs. */
import { system } from "../system/system.ts";

/** The identity of a process of this machine, which differs from that of a later process with the same number. */
interface Owner {
  /** The scope of process numbers: this boot of the machine, or a container in it. */
  readonly scope: string;
  readonly pid: number;
  /** The start of the process; empty if unknown. */
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
 * The owner of `name`, if the name was made with `kind`; undefined for any other name. `unknown` for a process of another
 * machine or container, or if the system does not show it.
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

/**
 * Whether the process of a file with that name and time has ended. If the process is unknown here, a file that is 8 days old
 * counts as left.
 */
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
    // The process runs as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function scopeHere(): string {
  // Imported here, because it would delay the start of a worker's handler process.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256").update(system().scope()).digest();
  return digest
    .readUIntBE(0, SCOPE_LENGTH)
    .toString(RADIX)
    .padStart(SCOPE_LENGTH, "0")
    .slice(-SCOPE_LENGTH);
}
