/** Finds the addresses of this machine that listen on a port, by Linux's tables of sockets. */
import { listenersIn, socketTables } from "../net/socket-tables.ts";

const MAPPED = "0000000000000000FFFF0000";

/**
 * The addresses beyond loopback at which this machine listens on the port. Empty if unknown: without such tables, or if a
 * process listens on loopback only, because another process may be the wide listener.
 */
export async function wideAddresses(port: number): Promise<readonly string[]> {
  const addresses = (await socketTables()).flatMap((text) => addressesIn(text, port));
  return addresses.some((address) => isLoopback(address)) ? [] : addresses;
}

/** The addresses of sockets that listen on the port, in a table as the kernel writes it. */
export function addressesIn(table: string, port: number): readonly string[] {
  return listenersIn(table, port).map(({ address }) => inWords(address));
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "[::1]";
}

/** The kernel writes 32 bits at a time, with their bytes in reverse order on little-endian machines. */
function inWords(hex: string): string {
  if (hex.length === 8) return dotted(hex);
  if (hex.startsWith(MAPPED)) return dotted(hex.slice(MAPPED.length));
  const groups = Array.from({ length: 4 }, (_, at) => bytesOf(hex.slice(at * 8, at * 8 + 8)));
  const pairs = groups.flatMap(([a = "", b = "", c = "", d = ""]) => [a + b, c + d]);
  return new URL(`http://[${pairs.join(":")}]`).hostname;
}

function dotted(hex: string): string {
  return bytesOf(hex)
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");
}

function bytesOf(word: string): readonly string[] {
  return (word.match(/../gu) ?? []).toReversed();
}
