/** Removes the leftovers of killed processes from a directory, and nothing of running ones. */
import fs from "node:fs";
import path from "node:path";
import { isAbandoned } from "./owner.ts";

/**
 * Removes entries of `directory` with a name of `ownedName(kind)` from a process that no longer runs. Entries of other machines
 * and containers are removed once they are 8 days old. Other files stay.
 * Never rejects: what cannot be removed stays.
 */
export async function clearLeftovers(directory: string, kind: string): Promise<void> {
  const names = await fs.promises.readdir(directory).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(kind)) continue;
    const entry = path.join(directory, name);
    const stats = await fs.promises.lstat(entry).catch(() => undefined);
    if (stats === undefined || stats.uid !== process.getuid?.()) continue;
    if (isAbandoned(kind, name, stats.mtimeMs, Date.now())) await removeAll(entry);
  }
}

/** An entry that cannot be removed stays, without an error. */
export async function removeAll(entry: string): Promise<void> {
  const how = { recursive: true, force: true, maxRetries: 2 };
  await fs.promises.rm(entry, how).catch(() => {});
}
