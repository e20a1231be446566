/** Reads answers that are server-sent events. */
import { type EventFrame, EventFrameReader } from "../../core/observe/event-frames.ts";
import { open } from "./call.ts";

/** Passes on the frames of an answer, piece by piece: none for a piece without a whole frame. Ends with the answer. */
export async function readFrames(
  { body }: Pick<Response, "body">,
  take: (frames: readonly EventFrame[]) => void,
): Promise<void> {
  const frames = new EventFrameReader();
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return;
    take(frames.push(piece.value));
  }
}

/** Timeout of a silent connection: the service sends something every 15 s. */
const SILENCE_MS = 40_000;

interface StreamOptions {
  readonly signal: AbortSignal;
  /** The frame after which the stream continues; default: from its beginning. */
  readonly lastId: string | undefined;
  readonly onOpen?: () => void;
}

/**
 * Reads a stream once, and only while the page is visible. Settles when the stream ends, is silent for too long, or the page is
 * hidden.
 *
 * @throws CallError
 */
export async function readStream(
  path: string,
  { signal, lastId, onOpen }: StreamOptions,
  take: (frames: readonly EventFrame[]) => void,
): Promise<void> {
  await pageVisible(signal);
  const quiet = new AbortController();
  const forget = onPageHidden(() => quiet.abort());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), SILENCE_MS);
  };
  try {
    const response = await open(path, {
      headers: {
        accept: "text/event-stream",
        ...(lastId !== undefined && { "last-event-id": lastId }),
      },
      signal: AbortSignal.any([signal, quiet.signal]),
    });
    onOpen?.();
    heard();
    await readFrames(response, (frames) => {
      heard();
      take(frames);
    });
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Time for which a hidden page keeps its connection, ms. */
const HIDDEN_MS = 5_000;

/** Calls `hidden` once the page has been hidden for a while, until the returned function is called. */
function onPageHidden(hidden: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    timer = document.hidden ? setTimeout(hidden, HIDDEN_MS) : undefined;
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

/** Settles when the page is visible, or `signal` aborts. */
async function pageVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  document.addEventListener("visibilitychange", () => resolve(), { signal: ended.signal });
  signal.addEventListener("abort", () => resolve(), { signal: ended.signal });
  await promise;
  ended.abort();
  await pageVisible(signal);
}
