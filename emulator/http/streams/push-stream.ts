/** Pushes the stream of a job to one reader, no faster than it reads. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidRequest } from "../../core/service-error.ts";
import { followStream, type StreamEvent } from "../../engine/streams/read-stream.ts";
import type { FlowingAnswer } from "../operation/answers/answer.ts";
import { isMoved } from "../../engine/steps/state/endpoint-moved.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call } from "../operation/operation.ts";
import type { Job } from "../../core/jobs/job.ts";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import type { JobRef } from "../../engine/steps/job-watchers.ts";
import { cancelUnclaimed } from "../jobs/cancel-unclaimed.ts";
import { beginPush } from "../operation/answers/begin-push.ts";
import { writeWithBackpressure } from "../operation/answers/write-with-backpressure.ts";
import { asRefusal } from "../operation/answers/refuse.ts";
import { placeAfter, type StreamFormat, type StreamPlace } from "./stream-format.ts";

interface Pushed {
  readonly ref: JobRef;
  readonly format: StreamFormat;
  readonly place: StreamPlace;
  /** The job, told before its first chunk. */
  readonly submitted?: Job;
  /** Whether the job is cancelled if the reader goes away. */
  readonly isCancelled?: boolean;
}

/**
 * Pushes the stream from `place` to the end of the job. When the service stops, the stream ends without a last event, so that the
 * reader comes back.
 */
export function pushStream(call: Call<object>, pushed: Pushed): FlowingAnswer {
  return { flow: (response) => push(call, pushed, response) };
}

async function push(
  call: Call<object>,
  { ref, format, place, submitted, isCancelled = false }: Pushed,
  response: ServerResponse,
): Promise<void> {
  const { service, dialect, refusal } = call;
  const jobBody = (event: StreamEvent & { type: "end" }) => dialect.job(event.view);
  using wait = new ClientWait(service, response);
  const { signal } = wait;
  const headers = service.isStoppingFor(response.req) ? { connection: "close" } : {};
  if (!beginPush(response, format.contentType, headers)) return;
  try {
    if (submitted)
      await writeWithBackpressure(response, format.job(jobStatePieces(submitted)), signal);
    for await (const event of followStream(service.engine, ref, { ...place, signal })) {
      await writeWithBackpressure(response, format.frame(event, jobBody), signal);
      if (signal.aborted) break;
    }
  } catch (error) {
    // The stream goes on at another replica: the reader comes back, as after any broken connection.
    if (isMoved(error)) return void response.destroy();
    await writeWithBackpressure(
      response,
      format.error(refusal(asRefusal(call, error)).pieces),
      signal,
    );
  }
  if (isCancelled && signal.aborted && !wait.isStopping) await cancelUnclaimed(service.engine, ref);
  response.end();
}

/**
 * Start of the stream. A reader that comes back names its last event in `Last-Event-ID`; its URL still names the first start.
 * @throws ServiceError invalid_request
 */
export function placeOf({ headers }: IncomingMessage, from: number): StreamPlace {
  const lastEventId = headers["last-event-id"];
  if (typeof lastEventId !== "string" || lastEventId === "") return { from, attempt: undefined };
  const place = placeAfter(lastEventId);
  if (place) return place;
  throw invalidRequest(["Last-Event-ID must be the id of an event of this stream"]);
}
