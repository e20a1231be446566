/** Pushes a job's stream to one reader, as fast as the reader takes it and no faster. */
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
    // It goes on at another replica: its reader comes again, as after any broken connection.
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
 * Where the stream begins. A reader that comes again says where it was by `Last-Event-ID`; its URL is still the one it
 * began with.
 *
 * @throws ServiceError invalid_request
 */
export function placeOf({ headers }: IncomingMessage, from: number): StreamPlace {
  const lastEventId = headers["last-event-id"];
  if (typeof lastEventId !== "string" || lastEventId === "") return { from, attempt: undefined };
  const place = placeAfter(lastEventId);
  if (place) return place;
  throw invalidRequest(["Last-Event-ID must be the id of an event of this stream"]);
}
