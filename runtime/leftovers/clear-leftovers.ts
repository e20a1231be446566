/** Removes what processes that were killed have left in a directory, and nothing of those that run. */
import fs from "node:fs";
import path from "node:path";
import { ownershipOf } from "./owner.ts";

/** No job is older than its time to live, 7 days at most: what is older than this holds nothing of a running one. */
const SURELY_DEAD_MS = 8 * 24 * 3_600_000;

/**
 * Removes the entries of `directory` whose names were begun by `ownedName(kind)` in a process that no longer runs; those
 * of other machines and containers, of which nobody here knows, once they are 8 days old. Others' files are left alone.
 * Never rejects: what cannot be removed stays.
 */
export async function clearLeftovers(directory: string, kind: string): Promise<void> {
  const names = await fs.promises.readdir(directory).catch(() => []);
  for (const name of names) {
    const ownership = ownershipOf(kind, name);
    if (ownership !== "dead" && ownership !== "unknown") continue;
    const entry = path.join(directory, name);
    const stats = await fs.promises.lstat(entry).catch(() => undefined);
    if (stats === undefined || stats.uid !== process.getuid?.()) continue;
    const isOld = stats.mtimeMs < Date.now() - SURELY_DEAD_MS;
    if (ownership === "dead" || isOld) await removeAll(entry);
  }
}

/** What cannot be removed stays: nobody may suffer from it. */
export async function removeAll(entry: string): Promise<void> {
  const how = { recursive: true, force: true, maxRetries: 2 };
  await fs.promises.rm(entry, how).catch(() => {});
}
