/** Where and in which shapes the interface answers: all that differs between base paths, as one value each. */
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import type { ServiceError } from "../core/service-error.ts";
import type { JobView } from "../engine/job-view.ts";
import type { StreamPart } from "../engine/stream-out.ts";
import type { Piece, WholeAnswer } from "./answer.ts";
import { jobPieces } from "../core/job-body.ts";

export interface Dialect {
  /** What stands before `/v1` and `/v2` in paths. */
  readonly basePath: string;
  /** How a refusal looks. */
  error(error: ServiceError): WholeAnswer;
  /** A job as `/status` shows it. */
  job(view: JobView): readonly Piece[];
  /** A part of a stream as `/stream` answers it when it does not push. */
  chunks(part: StreamPart): WholeAnswer;
}

/** The dialect of the contract (spec), with our error shape. */
export const CONTRACT_DIALECT: Dialect = {
  basePath: "",
  error: (error) => ({
    status: error.status,
    pieces: [JSON.stringify(error.toBody())],
  }),
  job: jobPieces,
  chunks: (part) => ({
    status: 200,
    pieces: ["[", ...listed(part.chunks), "]"],
    headers: { "job-status": streamStatus(part) },
  }),
};

/** `dialect` with another shape of refusals, where an operation has one of its own. */
export function refusingAs(dialect: Dialect, refusal: Dialect["error"] | undefined): Dialect {
  return refusal ? { ...dialect, error: refusal } : dialect;
}

function listed(chunks: readonly Uint8Array[]): Piece[] {
  return chunks.flatMap((chunk, position): Piece[] => (position === 0 ? [chunk] : [",", chunk]));
}

/** Terminal only together with the last chunks: a reader may stop as soon as it sees such a status. */
function streamStatus({ job, last }: StreamPart): string {
  return last || !isTerminal(job.status) ? job.status : "IN_PROGRESS";
}
