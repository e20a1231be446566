/** Reads the lines of `/stream` as newline-delimited JSON: chunks, restarts, and the job's end. */
import type { RawChunk } from "../../protocol/chunk.ts";
import { InvalidResponseError } from "../errors/errors.ts";
import { readJob, type Job } from "../job.ts";
import { isRecord } from "../json-shape.ts";
import { readRefusal } from "../errors/refusal.ts";
import { serviceError } from "../errors/service-error.ts";

export type StreamEvent<Output> =
  | { readonly kind: "chunk"; readonly chunk: RawChunk }
  /** The job was started again; the chunks of `attempt` follow from index 0. */
  | { readonly kind: "restart"; readonly attempt: number }
  /** The last line: the job as `/status` shows it. */
  | { readonly kind: "end"; readonly job: Job<Output> };

/** @throws ServiceError if the service reports that it cannot go on; InvalidResponseError */
export function readStreamEvent<Output>(jobId: string, line: string): StreamEvent<Output> {
  const value = parsed(line);
  if (isRecord(value)) {
    if (isRecord(value["metrics"])) return { kind: "chunk", chunk: readChunk(value) };
    const attempt = value["restart"];
    if (typeof attempt === "number") return { kind: "restart", attempt };
    if (typeof value["error"] === "string" && typeof value["status"] === "number") {
      throw serviceError(readRefusal(value["status"], {}, line));
    }
    if (typeof value["status"] === "string")
      return { kind: "end", job: readJob({ id: jobId, ...value }) };
  }
  throw new InvalidResponseError(
    `A line of the stream is no chunk, restart or status: ${line.slice(0, 200)}`,
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (cause) {
    throw new InvalidResponseError(`A line of the stream is not JSON: ${line.slice(0, 200)}`, {
      cause,
    });
  }
}

/** The metrics for joining and counting are required. The others are the handler's. */
function readChunk(value: Record<string, unknown>): RawChunk {
  const metrics = value["metrics"] as Record<string, unknown>;
  const { stream_index: index, attempt, split } = metrics;
  const isSound =
    isCount(index) &&
    (attempt === undefined || isCount(attempt)) &&
    (split === undefined || isSplit(split));
  if (isSound) return { output: value["output"], metrics: metrics as RawChunk["metrics"] };
  throw new InvalidResponseError(
    `The metrics of a chunk lack what the reader needs: ${JSON.stringify(metrics).slice(0, 200)}`,
  );
}

function isSplit(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value["part"]) &&
    isCount(value["continues"]) &&
    typeof value["last"] === "boolean"
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
