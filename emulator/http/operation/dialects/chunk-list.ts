/** `/stream` in every dialect: the chunks of a part, and the status. */
import { Buffer } from "node:buffer";
import { chunksOf, LINE_FEED } from "../../../../runtime/protocol/chunk-batch.ts";
import { isTerminal, type JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { freeAlone } from "../../../core/jobs/free-memory.ts";
import type { OpenedPayload } from "../../../core/jobs/opened-payload.ts";
import type { ShownBatch } from "../../../engine/streams/shown-batches.ts";
import type { StreamPart } from "../../../engine/streams/read-stream.ts";
import type { Piece } from "../answers/answer.ts";

/** The chunks as a JSON array. */
export function chunkList({ batches }: StreamPart): readonly Piece[] {
  const listed = batches.flatMap((batch, at): Piece[] =>
    at === 0 ? listOf(batch) : [",", ...listOf(batch)],
  );
  return ["[", ...listed, "]"];
}

/** The chunks with commas between them. */
function listOf({ lines, ...batch }: ShownBatch): Piece[] {
  if (lines instanceof Uint8Array)
    return chunksOf({ ...batch, lines }).flatMap((chunk, at) =>
      at === 0 ? [chunk] : [",", chunk],
    );
  return [{ ...lines, sizeBytes: lines.sizeBytes - 1, slices: () => listSlices(lines) }];
}

/** Replaces line feeds by commas. A line feed ends each line, and appears nowhere else. */
async function* listSlices(lines: OpenedPayload): AsyncGenerator<Uint8Array> {
  let left = lines.sizeBytes - 1;
  for await (const slice of lines.slices()) {
    const listed = Buffer.from(slice.subarray(0, left));
    left -= listed.byteLength;
    for (let at = -1; (at = listed.indexOf(LINE_FEED, at + 1)) >= 0;) listed[at] = COMMA;
    if (listed.byteLength > 0) yield listed;
    freeAlone(listed);
  }
}

const COMMA = 0x2c;

/** The status, which is final only together with the last chunks, because a reader may stop at a final status. */
export function streamStatus({ job, last }: StreamPart): JobStatus {
  return last || !isTerminal(job.status) ? job.status : "IN_PROGRESS";
}
