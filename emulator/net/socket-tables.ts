/** Reads Linux's tables of TCP sockets. */
import { readFile } from "node:fs/promises";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const LISTENING = "0A";

/** A socket that listens, as a line like `0: 0100007F:1BA8 00000000:0000 0A … 0 0 12345 …` shows it. */
export interface ListeningSocket {
  /** Hexadecimal, as the kernel writes it. */
  readonly address: string;
  readonly inode: string;
}

/** The tables of IPv4 and IPv6, as the kernel writes them; empty on other systems. */
export function socketTables(): Promise<readonly string[]> {
  return Promise.all(TABLES.map((table) => readFile(table, "latin1").catch(() => "")));
}

/** The sockets of a table that listen on the port. */
export function listenersIn(table: string, port: number): readonly ListeningSocket[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/u);
    const [address = "", at] = local.split(":");
    return at === wanted && state === LISTENING ? [{ address, inode }] : [];
  });
}
