/** Pushes the stream of a job to one reader, no faster than it reads. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidRequest } from "../../core/service-error.ts";
import { followStream, type StreamEvent } from "../../engine/streams/read-stream.ts";
import type { FlowingAnswer } from "../operation/answers/answer.ts";
import { isMoved } from "../../engine/steps/state/endpoint-moved.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call, JobPath } from "../operation/operation.ts";
import { beginPush } from "../operation/answers/begin-push.ts";
import { writeWithBackpressure } from "../operation/answers/write-with-backpressure.ts";
import { asRefusal } from "../operation/answers/refuse.ts";
import { placeAfter, type StreamFormat, type StreamPlace } from "./stream-format.ts";

/**
 * Pushes the stream from `place` to the end of the job. A reader that goes away does not end the job. When the service stops,
 * the stream ends without a last event, so that the reader comes back.
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
  const { service, dialect, path, refusal } = call;
  const jobBody = (event: StreamEvent & { type: "end" }) => dialect.job(event.view);
  using wait = new ClientWait(service, response);
  const { signal } = wait;
  const headers = service.isStoppingFor(response.req) ? { connection: "close" } : {};
  if (!beginPush(response, format.contentType, headers)) return;
  try {
    for await (const event of followStream(service.engine, path, { ...place, signal })) {
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
