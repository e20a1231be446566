/** Gathers the changes of chunks in a part of a batch, and makes the statements that store them. */
import { chunksOutOfOrder } from "../../batch-refusals.ts";
import type { StagedBatch } from "../../payload.ts";
import type { Columns } from "../../rows/columns.ts";
import { storedBatch } from "../../rows/payload-columns.ts";
import type { Statement } from "../connect/session.ts";
import { type Sent, unnested } from "../values/columns.ts";
import { CHUNK_NOT_NEXT } from "./refusals.ts";
import { insertInto, rowStatement } from "./row-statement.ts";

export const CHUNK = {
  seq: "integer",
  first_index: "integer",
  count: "integer",
  size_bytes: "integer",
  body: "bytes",
  name: "json",
  file_offset: "integer",
  content_checksum: "integer",
} as const satisfies Columns;

const SEQ = { seq: "integer" } as const satisfies Columns;
const FIRST = { ...SEQ, first_index: "integer" } as const satisfies Columns;

/** Fails unless the first batch of each job follows the stored ones. */
const CHECK = `SELECT refuse('${CHUNK_NOT_NEXT} ' || u.seq || ' ' || u.first_index) FROM ${unnested(FIRST)} AS u (seq, first_index)
  WHERE u.first_index <> coalesce(
    (SELECT c.first_index + c.count FROM chunk_batch c WHERE c.seq = u.seq ORDER BY c.first_index DESC LIMIT 1), 0)
  LIMIT 1`;
const REMOVE = "DELETE FROM chunk_batch WHERE seq = ANY($1::bigint[])";
const INSERT = insertInto("chunk_batch", CHUNK);

interface OfJob {
  /** First index of the batch that follows the stored ones, even if it is removed later. */
  first: number | undefined;
  /** Whether the stored batches are deleted. */
  isCleared: boolean;
  added: StagedBatch[];
}

export class ChunkWrites {
  readonly #jobs = new Map<number, OfJob>();

  /** @throws BatchRefusedError when it does not follow the batch before */
  append(seq: number, batch: StagedBatch): void {
    const ofJob = this.#of(seq);
    const { isCleared, added } = ofJob;
    const last = added.at(-1);
    if (last === undefined && !isCleared) ofJob.first = batch.firstIndex;
    else {
      const next = last === undefined ? 0 : last.firstIndex + last.count;
      if (batch.firstIndex !== next) throw chunksOutOfOrder(seq, batch.firstIndex);
    }
    added.push(batch);
  }

  removeAll(seq: number): void {
    const ofJob = this.#of(seq);
    ofJob.isCleared = true;
    ofJob.added = [];
  }

  statements(): readonly Statement[] {
    const cleared: number[][] = [];
    const firsts: number[][] = [];
    const rows: Sent[][] = [];
    for (const [seq, { first, isCleared, added }] of this.#jobs) {
      if (first !== undefined) firsts.push([seq, first]);
      if (isCleared) cleared.push([seq]);
      for (const batch of added) rows.push(chunkRow(seq, batch));
    }
    return [
      ...rowStatement("check-chunks", CHECK, FIRST, firsts),
      ...rowStatement("remove-chunks", REMOVE, SEQ, cleared),
      ...rowStatement("append-chunks", INSERT, CHUNK, rows),
    ];
  }

  #of(seq: number): OfJob {
    const known = this.#jobs.get(seq) ?? { first: undefined, isCleared: false, added: [] };
    this.#jobs.set(seq, known);
    return known;
  }
}

function chunkRow(seq: number, batch: StagedBatch): Sent[] {
  const { firstIndex, count, sizeBytes, body, offset, checksum } = storedBatch(batch);
  const [inline, name] = typeof body === "string" ? [null, body] : [body, null];
  return [seq, firstIndex, count, sizeBytes, inline, name, offset, checksum];
}
