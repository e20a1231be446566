/** How much of the disk a data directory takes, by what it is for. */
import { lstat, opendir } from "node:fs/promises";
import path from "node:path";

/** A directory with very many files takes seconds to look through: what was measured is told for so long. */
const KEPT_MS = 60_000;
/** Maximum wait of one who asks: then the measure before is told, or none. */
const WAIT_MS = 1_000;
const BLOCK_BYTES = 512;

/** The kinds, and the entries of the directory that each is. What is of none is `other`. */
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

/** Answers what is told of the directory; it is looked through again when that is asked a minute later. */
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

/** Links are not followed; what goes meanwhile is not counted. */
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
