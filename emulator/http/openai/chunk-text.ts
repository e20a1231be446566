/** A handler's chunk in the form for a client that reads OpenAI's events. */
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { ownTurn } from "../../engine/limits/own-turn.ts";

export interface ChunkOutput {
  /** Raw JSON. */
  readonly raw: Uint8Array;
  /** The text of a string: events as the handler wrote them, cut anywhere. */
  readonly text: string | undefined;
}

/** The `output` of a chunk `{"output": …, "metrics": {…}}`. */
export async function outputOf(chunk: Uint8Array): Promise<ChunkOutput> {
  const scan = await new SlicedScan(ownTurn).json(chunk, { keep: ["output"] });
  const span = scan.ok ? scan.members.get("output") : undefined;
  return asOutput(span ? chunk.subarray(span.start, span.end) : Buffer.from("null"));
}

export function asOutput(raw: Uint8Array): ChunkOutput {
  const json = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString().trim();
  if (!json.startsWith('"')) return { raw, text: undefined };
  return { raw, text: String(JSON.parse(json)) };
}
