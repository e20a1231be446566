/** A job as tests and reports see it: as its status shows it, and everything else that is known of it. */
import { Buffer } from "node:buffer";
import type { JobFacts } from "../../runtime/client/job.ts";
import type { RawChunk } from "../../runtime/protocol/chunk.ts";
import type { JobStatus } from "../../runtime/protocol/job-status.ts";
import { framed, jobFrame } from "../core/jobs/job-body.ts";
import type { JobContents } from "../engine/jobs/read/job-contents.ts";

/** Names and meanings are those of the job interface, where it has them. */
export interface JobRecord extends JobFacts {
  readonly endpointId: string;
  readonly status: JobStatus;
  readonly input: unknown;
  /** What the handler returned, or the last progress value while it runs; absent without one. */
  readonly output?: unknown;
  /** What the handler yielded, as `/stream` shows it; of the last attempt. */
  readonly chunks: readonly RawChunk[];
  /** The last lines its handler wrote by `context.log`, for handlers that are functions of this process; else empty. */
  readonly logs: readonly string[];
  /** Number of hand-overs to a worker. */
  readonly attempt: number;
  /** Service time, ms since the epoch. */
  readonly submittedAt: number;
}

export function recordOf(contents: JobContents, logs: readonly string[]): JobRecord {
  const { job, input, output, chunks } = contents;
  const { endpointId, attempt, submittedAt } = job;
  // The service wrote it just now.
  const shown = parse(...framed(jobFrame(job), output)) as Pick<JobRecord, "id" | "status">;
  return {
    ...shown,
    endpointId,
    attempt,
    submittedAt,
    input: parse(input),
    chunks: chunks.map((chunk) => parse(chunk) as RawChunk),
    logs,
  };
}

/** JSON text that comes in pieces. */
export function parse(...pieces: readonly (string | Uint8Array)[]): unknown {
  return JSON.parse(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString());
}
