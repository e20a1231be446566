/** `/stream/{id}`: a job's chunks, since the previous read (spec) or from an index, or pushed as they come (ours). */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { parseFrom } from "../../core/query-parameters.ts";
import { invalidRequest } from "../../core/service-error.ts";
import { findJob } from "../../engine/job-view.ts";
import { readStream } from "../../engine/stream-out.ts";
import { preferredType } from "../accept.ts";
import type { Answer } from "../answer.ts";
import { ClientWait } from "../client-wait.ts";
import type { Call, JobPath, Operation } from "../operation.ts";
import { pushStream } from "./push-stream.ts";
import { EVENT_STREAM, JSON_LINES, placeAfter, type StreamPlace } from "./stream-format.ts";

const PUSHED = {
  "text/event-stream": EVENT_STREAM,
  "application/x-ndjson": JSON_LINES,
} as const;

export const stream: Operation<JobPath> = {
  methods: ["GET", "POST"],
  path: "/v2/:endpointId/stream/:jobId",
  body: "skipped",
  async perform(call) {
    const { accept } = call.request.headers;
    const type = preferredType(accept, [
      "application/json",
      "text/event-stream",
      "application/x-ndjson",
    ]);
    if (type === "application/json") return readBatch(call);
    const place = placeOf(call);
    const { engine } = call.service;
    engine.directory.endpoint(call.path.endpointId);
    await engine.store.read((view) => findJob(view, call.path));
    return pushStream(call, PUSHED[type], place);
  },
};

async function readBatch(call: Call<JobPath>): Promise<Answer> {
  const { service, dialect, path, query, response } = call;
  const from = parseFrom(query);
  using wait = new ClientWait(service, response);
  const options = { from, holdMs: LIMITS.streamHoldMs, signal: wait.signal };
  return dialect.chunks(await readStream(service.engine, path, options));
}

/** A reader that comes again says where it was by `Last-Event-ID`; its URL is still the one it began with. */
function placeOf({ query, request }: Call<JobPath>): StreamPlace {
  const from = parseFrom(query) ?? 0;
  const lastEventId = request.headers["last-event-id"];
  if (typeof lastEventId !== "string" || lastEventId === "") return { from, attempt: undefined };
  const place = placeAfter(lastEventId);
  if (place) return place;
  throw invalidRequest(["Last-Event-ID must be the id of an event of this stream"]);
}
