/** Reads a part of a job's stream from any emulator of a fleet, and records the chunks. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { type ReadChunk, monotonicUs } from "../crash/history.ts";
import type { FleetClient, KnownJob } from "./fleet-client.ts";

/** The position of a reader: the last chunk that it has. */
export interface Reading {
  readonly after: { readonly attempt: number; readonly index: number } | undefined;
}

interface Line {
  readonly output?: unknown;
  readonly metrics?: { readonly stream_index: number; readonly attempt?: number };
  readonly status?: JobStatus | number;
}

/** Timeout of a reader that receives nothing, ms: an idle stream sends nothing. */
const LONGEST_MS = 8_000;

/** Follows the stream for a while, until it ends or breaks; returns the reader's position then. */
export async function readSome(
  client: FleetClient,
  job: KnownJob,
  { after }: Reading,
): Promise<Reading> {
  const seat = client.anySeat();
  const askedAt = monotonicUs();
  const leaving = AbortSignal.timeout(client.random.integer(100, LONGEST_MS));
  const chunks: ReadChunk[] = [];
  let end: JobStatus | undefined;
  try {
    const response = await client.open(seat, questionOf(job, after), leaving);
    client.note({ operation: "stream", seat, askedAt, end: "answered", status: response.status });
    if (response.ok) end = await readLines(response, chunks);
    else await response.text();
  } catch {
    if (!leaving.aborted) client.note({ operation: "stream", seat, askedAt, end: "broken" });
  }
  const read = { type: "read-chunks", jobId: job.jobId, after, chunks } as const;
  client.history.add({ ...read, ...(end === undefined ? {} : { end }) });
  const last = chunks.at(-1);
  return { after: last === undefined ? after : { attempt: last.attempt, index: last.index } };
}

function questionOf({ endpointId, jobId }: KnownJob, after: Reading["after"]) {
  const path = `/v2/${endpointId}/stream/${jobId}`;
  const accept = "application/x-ndjson";
  if (after === undefined) return { operation: "stream", path, headers: { accept } };
  const { attempt, index } = after;
  const id = attempt > 1 ? `${attempt}.${index}` : String(index);
  return { operation: "stream", path, headers: { accept, "last-event-id": id } };
}

/** Adds `chunks` as they arrive, so that chunks from before a broken connection are kept. Returns the status at the end. */
async function readLines(response: Response, chunks: ReadChunk[]): Promise<JobStatus | undefined> {
  let partial = "";
  let end: JobStatus | undefined;
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (partial + text).split("\n");
    partial = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") continue;
      const { output, metrics, status } = JSON.parse(line) as Line;
      if (metrics !== undefined)
        chunks.push({ attempt: metrics.attempt ?? 1, index: metrics.stream_index, output });
      else if (typeof status === "string") end = status;
    }
  }
  return end;
}

/** Records all chunks of a job that has ended, in the order in which an emulator sends them; asks until one answers. */
export async function readWhole(client: FleetClient, job: KnownJob): Promise<void> {
  while (!client.isOver) {
    const chunks: ReadChunk[] = [];
    try {
      const limit = AbortSignal.timeout(60_000);
      const response = await client.open(client.anySeat(), questionOf(job, undefined), limit);
      if ((await readLines(response, chunks)) === undefined) continue;
    } catch {
      continue;
    }
    const outputs = chunks.map(({ output }) => output);
    client.history.add({ type: "streamed", jobId: job.jobId, outputs });
    return;
  }
}
