/** `GET /emulator/jobs/{jobId}/chunks`: chunks of a job without consuming them; or pushed as they arrive. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { chunkLimitParameter, knownParameter, parse } from "../../core/input/query-parameters.ts";
import { inspectJob } from "../../engine/jobs/read/inspect-jobs.ts";
import { readStream, type StreamPart } from "../../engine/streams/read-stream.ts";
import {
  chunksShown,
  closeBatches,
  countOf,
  type ShownBatch,
} from "../../engine/streams/shown-batches.ts";
import type { Answer, Piece } from "../operation/answers/answer.ts";
import { preferredType } from "../operation/answers/preferred-type.ts";
import { endpointOfJob } from "../jobs/endpoint-of-job.ts";
import type { Operation } from "../operation/operation.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import { chunksSchema } from "../schemas/job.ts";
import { placeOf, pushStream } from "./push-stream.ts";
import { EVENT_STREAM } from "./stream-format.ts";

/** Maximum size of an answer, unless one chunk is larger. */
const PAGE_BYTES = LIMITS.chunkMaxBytes;

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
    const ref = { endpointId: known.endpointId, jobId };
    const type = preferredType(request.headers.accept, ["application/json", "text/event-stream"]);
    if (type === "text/event-stream")
      return pushStream(call, { ref, format: EVENT_STREAM, place: placeOf(request, after) });
    using wait = new ClientWait(service, response);
    const { signal } = wait;
    const part = await readStream(service.engine, ref, { from: after, holdMs: 0, signal });
    return await chunksAnswer(part, after, limit);
  },
};

async function chunksAnswer(
  { job, batches, last }: StreamPart,
  after: number,
  limit: number,
): Promise<Answer> {
  const shown = await firstChunks(batches, limit);
  const pieces = shown.flatMap((chunk, at): Piece[] => [
    `${at > 0 ? "," : ""}{"index":${after + at},`,
    ...membersOf(chunk),
  ]);
  const end = { next: after + shown.length, isComplete: last && shown.length === countOf(batches) };
  return {
    status: 200,
    pieces: [
      `{"attempt":${job.attempt},"chunks":[`,
      ...pieces,
      `],${JSON.stringify(end).slice(1)}`,
    ],
  };
}

/** The first chunks, at most `limit` and one page; at least one if there is one. */
async function firstChunks(batches: readonly ShownBatch[], limit: number): Promise<Uint8Array[]> {
  const shown: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (const batch of batches) {
      for await (const chunk of chunksShown(batch)) {
        bytes += chunk.byteLength;
        if (shown.length === limit || (bytes > PAGE_BYTES && shown.length > 0)) return shown;
        shown.push(chunk);
      }
    }
    return shown;
  } finally {
    await closeBatches(batches);
  }
}

/** Text before the chunks, which are inserted as raw bytes. */
function membersOf(chunk: Uint8Array): readonly Piece[] {
  const isUsual = chunk[0] === BRACE && chunk[1] === QUOTE;
  // A chunk of a worker in another form than ours.
  return isUsual ? [chunk.subarray(1)] : [`"output":`, chunk, "}"];
}

const BRACE = 0x7b;
const QUOTE = 0x22;
