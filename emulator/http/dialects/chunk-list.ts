/** What `/stream` says in every dialect: the chunks of a part, and the status beside them. */
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { StreamPart } from "../../engine/streams/read-stream.ts";
import type { Piece } from "../answers/answer.ts";

/** The chunks as a JSON array. */
export function chunkList({ chunks }: StreamPart): readonly Piece[] {
  const listed = chunks.flatMap((chunk, at): Piece[] => (at === 0 ? [chunk] : [",", chunk]));
  return ["[", ...listed, "]"];
}

/** Terminal only together with the last chunks: a reader may stop as soon as it sees such a status. */
export function streamStatus({ job, last }: StreamPart): JobStatus {
  return last || !isTerminal(job.status) ? job.status : "IN_PROGRESS";
}
