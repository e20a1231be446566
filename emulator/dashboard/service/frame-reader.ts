/** Reads answers that are server-sent events. */
import { type EventFrame, EventFrameReader } from "../../core/observe/event-frames.ts";

export type Frame = EventFrame;

/** Hands on the frames of an answer, piece by piece: none for a piece without a whole one. Ends with the answer. */
export async function readFrames(
  { body }: Pick<Response, "body">,
  take: (frames: readonly Frame[]) => void,
): Promise<void> {
  const frames = new EventFrameReader();
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return;
    take(frames.push(piece.value));
  }
}
