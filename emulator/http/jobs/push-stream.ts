/** Pushes a job's stream to one reader, as fast as the reader takes it and no faster. */
import type { ServerResponse } from "node:http";
import { followStream, type StreamEvent } from "../../engine/stream-out.ts";
import { joined, type Piece, type FlowingAnswer } from "../answer.ts";
import { ClientWait } from "../client-wait.ts";
import type { Call, JobPath } from "../operation.ts";
import { asRefusal } from "../refuse.ts";
import type { StreamFormat, StreamPlace } from "./stream-format.ts";

/**
 * The stream from `place` to the job's end. A reader that goes away ends it, never the job; so does the stop of the
 * service, without a last event, so that the reader knows to come again.
 */
export function pushStream(
  call: Call<JobPath>,
  format: StreamFormat,
  place: StreamPlace,
): FlowingAnswer {
  return { flow: (response) => push(call, format, place, response) };
}

async function push(
  call: Call<JobPath>,
  format: StreamFormat,
  place: StreamPlace,
  response: ServerResponse,
): Promise<void> {
  const { service, dialect, path } = call;
  const jobBody = (event: StreamEvent & { type: "end" }) => dialect.job(event.view);
  using wait = new ClientWait(service, response);
  const { signal } = wait;
  response.writeHead(200, {
    "content-type": format.contentType,
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    ...(service.stopping ? { connection: "close" } : {}),
  });
  response.flushHeaders();
  try {
    for await (const event of followStream(service.engine, path, { ...place, signal })) {
      await write(response, format.frame(event, jobBody), signal);
      if (signal.aborted) break;
    }
  } catch (error) {
    await write(response, format.error(dialect.error(asRefusal(call, error)).pieces), signal);
  }
  response.end();
}

/** Resolves when the reader can take more, or `signal` has aborted. */
async function write(
  response: ServerResponse,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  if (pieces.length === 0 || response.destroyed) return;
  const [only] = pieces;
  const mayGoOn = response.write(pieces.length === 1 && only ? only : joined(pieces));
  if (!mayGoOn && !signal.aborted) await drained(response, signal);
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.removeListener("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
