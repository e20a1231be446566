/** A job for tests and reports: the fields of its status, and all other known ones. */
import { Buffer } from "node:buffer";
import type { JobFacts } from "../../runtime/client/job.ts";
import type { RawChunk } from "../../runtime/protocol/chunk.ts";
import type { JobStatus } from "../../runtime/protocol/job-status.ts";
import { framed, jobFrame } from "../core/jobs/job-body.ts";
import type { JobContents } from "../engine/jobs/read/job-contents.ts";

/** Fields of the job interface have their names and meanings from there. */
export interface JobRecord extends JobFacts {
  readonly endpointId: string;
  readonly status: JobStatus;
  readonly input: unknown;
  /** The handler's result, or the last progress value while it runs; absent without either. */
  readonly output?: unknown;
  /** The chunks that the handler yielded in the last attempt, as `/stream` shows them. */
  readonly chunks: readonly RawChunk[];
  /** The last lines that its handler wrote with `context.log`, if the handler is a function of this process; else empty. */
  readonly logs: readonly string[];
  /** Number of hand-overs to a worker. */
  readonly attempt: number;
  /** Service time, ms since the epoch. */
  readonly submittedAt: number;
}

export function recordOf(contents: JobContents, logs: readonly string[]): JobRecord {
  const { job, input, output, chunks } = contents;
  const { endpointId, attempt, submittedAt } = job;
  // The service itself has just written this JSON.
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
