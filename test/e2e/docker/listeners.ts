/** Finds the addresses at which this machine listens at a port. */
import fs from "node:fs";
import { PROC } from "../../setup/proc.ts";

/** IPv4 addresses only. */
export function listenersOf(port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = fs.readFileSync(`${PROC}/net/tcp`, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, bytes = "", at, state] = /: ([0-9A-F]{8}):([0-9A-F]{4}) \S+ (\w\w)/u.exec(line) ?? [];
    if (at !== hex || state !== "0A") return [];
    return [Buffer.from(bytes, "hex").toReversed().join(".")];
  });
}
