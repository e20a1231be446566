/** Reads the chunks of a job as they come, without taking them from a client that streams them. */
import type { EventFrame } from "../../../core/observe/event-frames.ts";
import { memberOf, readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { onEvents } from "../../service/follow.ts";
import { readStream } from "../../service/stream.ts";
import type { Chunk } from "../../state/chunk-list.ts";
import { dispatch } from "../../state/store.ts";

/** Wait before a new connection, ms. */
const AGAIN_MS = 1_000;

/** When the dashboard heard that the attempt began, by the page's clock. */
interface Began {
  atMs: number | undefined;
}

/** Until the returned function is called. */
export function followChunks(jobId: string): () => void {
  const ended = new AbortController();
  const began: Began = { atMs: undefined };
  const forget = onEvents((events) => {
    const starts = events.some(
      (event) => event.type === "job" && event.jobId === jobId && event.to === "IN_PROGRESS",
    );
    if (starts) began.atMs = performance.now();
  });
  dispatch({ type: "chunks-opened", jobId });
  void follow(jobId, began, ended.signal);
  return () => {
    ended.abort();
    forget();
  };
}

async function follow(jobId: string, began: Began, signal: AbortSignal): Promise<void> {
  const path = `emulator/jobs/${encodeURIComponent(jobId)}/chunks`;
  const place: { lastId: string | undefined; isOver: boolean } = {
    lastId: undefined,
    isOver: false,
  };
  while (!signal.aborted && !place.isOver) {
    try {
      await readStream(path, { signal, lastId: place.lastId }, (frames) => {
        place.lastId = frames.findLast(({ id }) => id !== undefined)?.id ?? place.lastId;
        place.isOver ||= take(jobId, frames, began);
      });
    } catch {
      // The loop tries again, unless the page has gone.
    }
    if (!place.isOver) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** True once the last chunk has come. */
function take(jobId: string, frames: readonly EventFrame[], { atMs }: Began): boolean {
  let chunks: Chunk[] = [];
  const flush = () => {
    const afterMs = atMs === undefined ? undefined : performance.now() - atMs;
    if (chunks.length > 0) dispatch({ type: "chunks-came", jobId, chunks, afterMs });
    chunks = [];
  };
  for (const { type, data } of frames) {
    if (type === "chunk") chunks.push(...chunkIn(data));
    else if (type === "restart") {
      flush();
      dispatch({ type: "chunks-opened", jobId });
    } else if (type === "end" || type === "error") {
      flush();
      dispatch({ type: "chunks-complete", jobId });
      return true;
    }
  }
  flush();
  return false;
}

function chunkIn(data: string): readonly Chunk[] {
  const node = readRawJson(data);
  const output = memberOf(node, "output");
  const index = memberOf(memberOf(node, "metrics"), "stream_index");
  return output === undefined || index?.kind !== "number"
    ? []
    : [{ index: Number(index.text), json: writeRawJson(output) }];
}
