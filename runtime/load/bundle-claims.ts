/** Marks bundles that a process may still load, by files beside the bundles. A marked bundle is not removed. */
import fs from "node:fs";
import path from "node:path";
import { clearLeftovers } from "../leftovers/clear-leftovers.ts";
import { ownedName } from "../leftovers/owner.ts";

const KIND = ".in-use";
const CLAIM = /^\.in-use(?:-[0-9a-z]*){3}-(.+)\.claim$/u;
const mine = new Set<string>();

/** Marks the bundle as in use until this process ends. If the mark cannot be made, the bundle stays unmarked. */
export function claimBundle(modulePath: string): void {
  const { dir, base } = path.parse(modulePath);
  const claim = path.join(dir, `${ownedName(KIND)}-${base}.claim`);
  try {
    fs.writeFileSync(claim, "");
  } catch {
    return;
  }
  if (mine.size === 0) process.once("exit", removeMine);
  mine.add(claim);
}

/** The names of the bundles in `folder` that a running process has claimed. Removes the marks of killed processes. */
export async function claimedBundles(folder: string): Promise<ReadonlySet<string>> {
  await clearLeftovers(folder, KIND);
  const names = await fs.promises.readdir(folder);
  return new Set(names.flatMap((name) => CLAIM.exec(name)?.[1] ?? []));
}

function removeMine(): void {
  for (const claim of mine) fs.rmSync(claim, { force: true });
}
