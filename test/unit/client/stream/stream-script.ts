/** The lines of a job's stream, for the scripts of the service double, and a reader that reads them to the end. */
import type {
  ChunkMetrics,
  EndpointClient,
  StreamOptions,
} from "../../../../runtime/client/index.ts";
import type { Step } from "../service-double.ts";

/** The last line of a completed job. */
export const DONE = { id: "j", status: "COMPLETED", executionTime: 7 };

/** A connection to the stream of job `j`, from index 0 unless `query` says otherwise. */
export const stream = (query: string, reply: Step["reply"]): Step => ({
  request: `GET /v2/my%20endpoint/stream/j${query}`,
  headers: { accept: "application/x-ndjson" },
  reply,
});

export function chunk(index: number, output: unknown, more: Partial<ChunkMetrics> = {}): object {
  return { output, metrics: { stream_index: index, ...more } };
}

/** One part of a split yield; `at` counts within the yield, `index` within the stream. */
export function part(
  index: number,
  output: unknown,
  at: number,
  continues: number,
  last = false,
): object {
  return chunk(index, output, { split: { part: at, continues, last } });
}

/** Reads to the end; an error becomes the last item. */
export async function outputs(
  endpoint: EndpointClient,
  options: StreamOptions = {},
): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const item of endpoint.stream("j", options)) seen.push(item.output);
  } catch (error) {
    seen.push(error);
  }
  return seen;
}
