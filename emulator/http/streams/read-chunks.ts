/** `GET /emulator/jobs/{jobId}/chunks`: what a job has streamed, without taking it from a reader; or pushed as it comes. */
import { z } from "zod";
import { chunkLimitParameter, knownParameter, parse } from "../../core/input/query-parameters.ts";
import { inspectJob } from "../../engine/jobs/read/inspect-jobs.ts";
import { readStream, type StreamPart } from "../../engine/streams/read-stream.ts";
import type { Answer, Piece } from "../answers/answer.ts";
import { preferredType } from "../answers/preferred-type.ts";
import { endpointOfJob } from "../jobs/endpoint-of-job.ts";
import type { Operation } from "../operation.ts";
import { ClientWait } from "../requests/client-wait.ts";
import { chunksSchema } from "../schemas/job.ts";
import { placeOf, pushStream } from "./push-stream.ts";
import { EVENT_STREAM } from "./stream-format.ts";

export const readChunks: Operation<{ readonly jobId: string }> = {
  methods: ["GET"],
  path: "/emulator/jobs/:jobId/chunks",
  owner: endpointOfJob,
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({ after: knownParameter, limit: chunkLimitParameter }),
    answers: {
      200: {
        description: "Chunks of the current attempt; pushed if the request prefers that type.",
        content: {
          "application/json": chunksSchema,
          "text/event-stream": "Events `chunk`, `restart`, `error` and `end`, as `/stream` pushes.",
        },
      },
    },
    errors: ["endpoint_not_found", "job_not_found"],
  },
  async perform(call) {
    const { service, query, request, response } = call;
    const { jobId } = call.path;
    const after = parse(query, "after", knownParameter);
    const limit = parse(query, "limit", chunkLimitParameter);
    const { job: known } = await inspectJob(service.engine, jobId, true);
    const path = { endpointId: known.endpointId, jobId };
    const type = preferredType(request.headers.accept, ["application/json", "text/event-stream"]);
    if (type === "text/event-stream")
      return pushStream({ ...call, path }, EVENT_STREAM, placeOf(request, after));
    using wait = new ClientWait(service, response);
    const { signal } = wait;
    const part = await readStream(service.engine, path, { from: after, holdMs: 0, signal });
    return chunksAnswer(part, after, limit);
  },
};

function chunksAnswer({ job, chunks, last }: StreamPart, after: number, limit: number): Answer {
  const shown = chunks.slice(0, limit);
  const pieces = shown.flatMap((chunk, at): Piece[] => [
    `${at > 0 ? "," : ""}{"index":${after + at},`,
    ...membersOf(chunk),
  ]);
  const end = { next: after + shown.length, isComplete: last && shown.length === chunks.length };
  return {
    status: 200,
    pieces: [
      `{"attempt":${job.attempt},"chunks":[`,
      ...pieces,
      `],${JSON.stringify(end).slice(1)}`,
    ],
  };
}

/** What follows a member of an object before these: the bytes stay as they are. */
function membersOf(chunk: Uint8Array): readonly Piece[] {
  const isUsual = chunk[0] === BRACE && chunk[1] === QUOTE;
  // What a worker streamed in another form than ours.
  return isUsual ? [chunk.subarray(1)] : [`"output":`, chunk, "}"];
}

const BRACE = 0x7b;
const QUOTE = 0x22;
