/** Finds the process that listens at a port of this machine, by /proc. */
import fs from "node:fs";
import path from "node:path";

const LISTENING = "0A";

export interface Listener {
  readonly pid: number;
  /** Name of its program. */
  readonly command: string;
}

/** Undefined without /proc, and for a process of another user. */
export function listenerAt(port: number): Listener | undefined {
  const inodes = new Set(["tcp", "tcp6"].flatMap((table) => inodesOf(table, port)));
  if (inodes.size === 0) return undefined;
  const pids = entriesOf("/proc").filter((name) => /^\d+$/u.test(name));
  const pid = pids.find((each) => socketsOf(each).some((inode) => inodes.has(inode)));
  if (pid === undefined) return undefined;
  return { pid: Number(pid), command: textOf(`/proc/${pid}/comm`).trim() };
}

/** Lines like `0: 0100007F:1BA8 00000000:0000 0A … 0 0 12345 …`. */
function inodesOf(table: string, port: number): readonly string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = textOf(`/proc/net/${table}`).split("\n");
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/u);
    return local.endsWith(ending) && state === LISTENING ? [inode] : [];
  });
}

function socketsOf(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return entriesOf(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/u.exec(fs.readlinkSync(path.join(folder, name)))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function entriesOf(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
