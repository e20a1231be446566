/** The chunks of the shown job as they stream. */

export interface Chunk {
  readonly index: number;
  /** Its JSON as the handler's process wrote it, which keeps its numbers. */
  readonly json: string;
}

export interface ChunkList {
  readonly jobId: string;
  /** The first one, and the newest. */
  readonly chunks: readonly Chunk[];
  /** Number of all chunks. */
  readonly count: number;
  readonly isComplete: boolean;
  /** Time from the start of the attempt to its first chunk, if the dashboard saw both; ms. */
  readonly firstAfterMs: number | undefined;
}

export type ChunkAction =
  | { readonly type: "chunks-opened"; readonly jobId: string }
  | {
      readonly type: "chunks-came";
      readonly jobId: string;
      readonly chunks: readonly Chunk[];
      /** Time since the attempt began, if the dashboard saw that. */
      readonly afterMs?: number | undefined;
    }
  | { readonly type: "chunks-complete"; readonly jobId: string };

export const NO_CHUNKS: ChunkList = {
  jobId: "",
  chunks: [],
  count: 0,
  isComplete: false,
  firstAfterMs: undefined,
};

/** Maximum chunks kept: the first one and the newest. */
export const MOST_CHUNKS = 2_000;

export function reduceChunks(list: ChunkList, action: ChunkAction): ChunkList {
  if (action.type === "chunks-opened") return { ...NO_CHUNKS, jobId: action.jobId };
  if (action.jobId !== list.jobId) return list;
  if (action.type === "chunks-complete") return { ...list, isComplete: true };
  const last = list.chunks.at(-1)?.index ?? -1;
  // A retried job begins again.
  const isAnew = action.chunks.some(({ index }) => index === 0) && last >= 0;
  const before = isAnew ? [] : list.chunks;
  const fresh = action.chunks.filter(({ index }) => isAnew || index > last);
  const all = [...before, ...fresh];
  const isFirst = before.length === 0 && fresh.length > 0;
  return {
    ...list,
    chunks: all.length > MOST_CHUNKS ? [...all.slice(0, 1), ...all.slice(1 - MOST_CHUNKS)] : all,
    count: (all.at(-1)?.index ?? -1) + 1,
    isComplete: false,
    firstAfterMs: isFirst ? action.afterMs : list.firstAfterMs,
  };
}
