/** Finds the process that listens at a port of this machine, by /proc. */
import fs from "node:fs/promises";
import path from "node:path";
import { listenersIn, socketTables } from "../net/socket-tables.ts";

export interface Listener {
  readonly pid: number;
  /** Name of its program. */
  readonly command: string;
}

/** Undefined without /proc, and for a process of another user. */
export async function listenerAt(port: number): Promise<Listener | undefined> {
  const sockets = (await socketTables()).flatMap((table) => listenersIn(table, port));
  const names = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  if (names.size === 0) return undefined;
  for (const pid of await entriesOf("/proc")) {
    const folder = `/proc/${pid}/fd`;
    if (!/^\d+$/u.test(pid)) continue;
    for (const descriptor of await entriesOf(folder)) {
      const target = await fs.readlink(path.join(folder, descriptor)).catch(() => "");
      if (names.has(target)) return { pid: Number(pid), command: await commandOf(pid) };
    }
  }
  return undefined;
}

async function commandOf(pid: string): Promise<string> {
  return (await fs.readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return fs.readdir(folder).catch(() => []);
}
