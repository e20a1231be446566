/** Limits the size of the bundle cache. Bundles in use stay, and so do the most recently used of the others. */
import fs from "node:fs/promises";
import path from "node:path";
import { claimedBundles } from "./bundle-claims.ts";
import { notePath } from "./bundle-note.ts";
import { programsFolder } from "./bundle-programs.ts";

/** Bounds of the bundles that no running process has claimed. */
interface CacheBounds {
  /** Maximum age of a bundle since its last use. */
  readonly unusedForMs: number;
  /** Maximum bytes of all bundles. */
  readonly bytes: number;
}

const DAY_MS = 24 * 3_600_000;
const BOUNDS: CacheBounds = { unusedForMs: 30 * DAY_MS, bytes: 200_000_000 };

const BUNDLE = /^(.+)-[0-9a-f]{16}\.mjs$/u;

interface Bundle {
  readonly name: string;
  readonly bytes: number;
  /** Time of the last use, which is the time of the bundle's note. */
  readonly usedAt: number;
}

/** Path of the file with the name of a handler's newest bundle. */
export function latestPath(folder: string, bundleName: string): string {
  return path.join(folder, `${BUNDLE.exec(bundleName)?.[1] ?? bundleName}.latest`);
}

/** Never rejects. Files that cannot be removed stay. */
export async function trimCache(folder: string, bounds = BOUNDS): Promise<void> {
  try {
    await removeTorn(folder);
    for (const { name } of await superfluous(folder, bounds)) await remove(folder, name);
  } catch {
    // Another process may be trimming as well, or the directory may be gone.
  }
}

/** Removes what killed processes were writing: files, and programs whose bundle was to follow. */
async function removeTorn(folder: string): Promise<void> {
  const names = await fs.readdir(folder);
  const whole = new Set(names.filter((name) => BUNDLE.test(name)).map(programsFolder));
  for (const name of names) {
    const isTorn = name.endsWith(".partial") || (name.endsWith(".programs") && !whole.has(name));
    if (!isTorn) continue;
    const file = path.join(folder, name);
    const { mtimeMs } = await fs.stat(file);
    if (mtimeMs < Date.now() - DAY_MS) await fs.rm(file, { recursive: true, force: true });
  }
}

async function superfluous(folder: string, bounds: CacheBounds): Promise<Bundle[]> {
  const claimed = await claimedBundles(folder);
  const newestFirst = (await bundlesIn(folder)).toSorted((a, b) => b.usedAt - a.usedAt);
  const usedSince = Date.now() - bounds.unusedForMs;
  let bytes = 0;
  return newestFirst.filter((bundle) => {
    bytes += bundle.bytes;
    return !claimed.has(bundle.name) && (bundle.usedAt < usedSince || bytes > bounds.bytes);
  });
}

async function bundlesIn(folder: string): Promise<Bundle[]> {
  const names = (await fs.readdir(folder)).filter((name) => BUNDLE.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const [{ size, mtimeMs }, note, programs] = await Promise.all([
        fs.stat(file),
        fs.stat(notePath(file)).catch(() => undefined),
        bytesIn(programsFolder(file)),
      ]);
      return { name, bytes: size + programs, usedAt: note?.mtimeMs ?? mtimeMs };
    }),
  );
  return found;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await fs.readdir(folder).catch(() => []);
  const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name))));
  return stats.reduce((bytes, { size }) => bytes + size, 0);
}

/**
 * Removes the entry first, so that the bundle is not found any more, and then the bundle, unless a process has claimed it: a
 * process claims a bundle and then checks once more that it is still the latest.
 */
async function remove(folder: string, name: string): Promise<void> {
  const latest = latestPath(folder, name);
  const isLatest = (await fs.readFile(latest, "utf8").catch(() => "")) === name;
  if (isLatest) await fs.rm(latest, { force: true });
  if ((await claimedBundles(folder)).has(name)) return;
  const file = path.join(folder, name);
  await fs.rm(file, { force: true });
  await fs.rm(notePath(file), { force: true });
  await fs.rm(programsFolder(file), { recursive: true, force: true });
}
