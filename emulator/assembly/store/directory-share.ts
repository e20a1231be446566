/** Measures the disk space of a data directory by kind of content. */
import { lstat, opendir } from "node:fs/promises";
import path from "node:path";

/** Lifetime of a measurement. A directory with many files takes seconds to measure. */
const KEPT_MS = 60_000;
/** Maximum wait for a measurement. After it the last one is reported, if there is one. */
const WAIT_MS = 1_000;
const BLOCK_BYTES = 512;

/** Entries of the directory by kind. All other entries are `other`. */
const KINDS = [
  ["database", /^store\.(?:db|mark)/],
  ["payloads", /^payloads$/],
  ["objects", /^objects$/],
  ["volumes", /^volumes$/],
  ["damaged", /^damaged-\d+$/],
  ["other", /^/],
] as const;

/** Bytes by kind. */
type Share = ReadonlyMap<string, number>;

/** Returns the function that reports the sizes. It measures again after the lifetime of a measurement. */
export function shareOf(directory: string): () => Promise<Share | undefined> {
  let known: Share | undefined;
  let measuring: Promise<void> | undefined;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const measureAgain = async () => {
    known = await measure(directory).catch(() => known);
    measuredAt = performance.now();
    measuring = undefined;
  };
  return async () => {
    if (performance.now() - measuredAt > KEPT_MS) measuring ??= measureAgain();
    if (measuring !== undefined) await Promise.race([measuring, waited(WAIT_MS)]);
    return known;
  };
}

async function measure(directory: string): Promise<Share> {
  const share = new Map<string, number>(KINDS.map(([kind]) => [kind, 0]));
  for await (const { name } of await opendir(directory)) {
    const [kind] = KINDS.find(([, names]) => names.test(name)) ?? ["other"];
    share.set(kind, (share.get(kind) ?? 0) + (await bytesBelow(path.join(directory, name))));
  }
  return share;
}

/** Links are not followed. Files that disappear meanwhile are not counted. */
async function bytesBelow(top: string): Promise<number> {
  let bytes = 0;
  const left = [top];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const stats = await lstat(at).catch(() => undefined);
    bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    if (stats?.isDirectory() !== true) continue;
    const entries = await opendir(at).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const { name } of entries) left.push(path.join(at, name));
  }
  return bytes;
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
