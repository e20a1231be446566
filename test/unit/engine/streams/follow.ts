/** Reads a stream as its followers do. */
import { followStream, type StreamEvent } from "../../../../emulator/engine/streams/read-stream.ts";
import { chunksShown } from "../../../../emulator/engine/streams/shown-batches.ts";
import type { TestEngine } from "../../engine-harness.ts";

/** Reads the stream from its first chunk; `next` has the outputs of one more batch, or the type of another event. */
export function follow({ engine }: TestEngine, jobId: string) {
  const signal = new AbortController().signal;
  const events = followStream(engine, { endpointId: "echo", jobId }, { from: 0, signal });
  const next = async () => {
    const { value, done } = await events.next();
    return done === true ? "over" : outputsOf(value);
  };
  return { next, end: () => events.return() };
}

async function outputsOf(event: StreamEvent): Promise<unknown> {
  if (event.type !== "chunks") return event.type;
  const chunks = await Array.fromAsync(chunksShown(event.batch));
  return chunks.map((chunk) => {
    const { output } = JSON.parse(Buffer.from(chunk).toString()) as { output: unknown };
    return output;
  });
}
