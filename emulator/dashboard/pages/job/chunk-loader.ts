/** Reads the chunks of the job that is shown as they come, without taking them from a client that streams them. */
import { memberOf, readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { open } from "../../service/call.ts";
import { onEvents } from "../../service/follow.ts";
import { type Frame, readFrames } from "../../service/frame-reader.ts";
import { pageVisible, onPageHidden } from "../../service/page-visibility.ts";
import type { Chunk } from "../../state/chunk-list.ts";
import { dispatch } from "../../state/store.ts";

/** After a break, ms. */
const AGAIN_MS = 1_000;

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

/** When the dashboard heard that the attempt began, by the page's clock. */
interface Began {
  atMs: number | undefined;
}

async function follow(jobId: string, began: Began, signal: AbortSignal): Promise<void> {
  const place: { id: string | undefined; isOver: boolean } = { id: undefined, isOver: false };
  const path = `emulator/jobs/${encodeURIComponent(jobId)}/chunks`;
  while (!signal.aborted && !place.isOver) {
    await pageVisible(signal);
    const unseen = new AbortController();
    const forget = onPageHidden(() => unseen.abort());
    const headers = {
      accept: "text/event-stream",
      ...(place.id !== undefined && { "last-event-id": place.id }),
    };
    try {
      const whileSeen = AbortSignal.any([signal, unseen.signal]);
      await readFrames(await open(path, { headers, signal: whileSeen }), (frames) => {
        place.id = frames.findLast(({ id }) => id !== undefined)?.id ?? place.id;
        place.isOver ||= take(jobId, frames, began);
      });
    } catch {
      // It is tried again, unless the page has gone.
    }
    forget();
    if (!place.isOver) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** True when the last one has come. */
function take(jobId: string, frames: readonly Frame[], { atMs }: Began): boolean {
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
