/** Questions about payloads and chunks. */
import type { BatchWindow, PayloadSlot } from "../../payload.ts";
import { bodyAt, integerAt, optionalTextAt, type Row } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { placeOf, type StoredBatch, type StoredBody } from "../../rows/payload-columns.ts";
import type { Session } from "../connect/session.ts";
import { bound, rowReader } from "../values/columns.ts";
import { CHUNK } from "../writes/chunk-writes.ts";
import { PAYLOAD } from "../writes/payload-writes.ts";

const readPayloadRow = rowReader(PAYLOAD);
const readChunkRow = rowReader(CHUNK);

/** Texts of the statements by their names. */
export const PAYLOAD_QUESTIONS = {
  payload: `SELECT ${namesOf(PAYLOAD)} FROM payload WHERE place = $1`,
  "payload-checksum": "SELECT content_checksum FROM payload WHERE place = $1",
  /**
   * Batches with chunks from $2 up to $3, until the earlier batches have $4 bytes, or $5 bytes in rows. Chunks before $2 do not
   * count. A single query reads all of them, because a second one might see the stream of another attempt.
   */
  chunks: `SELECT ${namesOf(CHUNK)} FROM (
      SELECT *,
        sum(CASE WHEN first_index >= $2 THEN size_bytes ELSE 0 END) OVER earlier AS bytes_before,
        sum(CASE WHEN first_index >= $2 AND name IS NULL THEN size_bytes ELSE 0 END) OVER earlier AS in_hand_before
      FROM chunk_batch WHERE seq = $1 AND first_index >=
        coalesce((SELECT first_index FROM chunk_batch WHERE seq = $1 AND first_index <= $2 ORDER BY first_index DESC LIMIT 1), 0)
        AND first_index < $3 AND first_index + count > $2
      WINDOW earlier AS (ORDER BY first_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS around
    WHERE bytes_before IS NULL OR bytes_before < $4 AND in_hand_before < $5 ORDER BY first_index`,
  "has-chunks": "SELECT 1 FROM chunk_batch WHERE seq = $1 AND content_checksum = $2 LIMIT 1",
} as const;

export async function payloadAt(
  session: Session,
  seq: number,
  slot: PayloadSlot,
): Promise<StoredBody | undefined> {
  const { rows } = await ask(session, "payload", [bound(placeOf(seq, slot))]);
  return rows[0] && readPayload(readPayloadRow(rows[0]));
}

export async function payloadChecksumAt(
  session: Session,
  seq: number,
  slot: PayloadSlot,
): Promise<number | undefined> {
  const { rows } = await ask(session, "payload-checksum", [bound(placeOf(seq, slot))]);
  return rows[0] && Number(rows[0][0]);
}

/** Reads batches with all chunks of the window, and perhaps more at either end. */
export async function chunksAround(
  session: Session,
  seq: number,
  { from, maxCount, maxBytes, maxInHand = maxBytes }: BatchWindow,
): Promise<readonly StoredBatch[]> {
  const values = [seq, from, from + maxCount, maxBytes, maxInHand].map(bound);
  const { rows } = await ask(session, "chunks", values);
  return rows.map((row) => readChunk(readChunkRow(row)));
}

/** Whether a batch with lines of this checksum is stored. */
export async function hasChunks(
  session: Session,
  seq: number,
  checksum: number | undefined,
): Promise<boolean> {
  const { rows } = await ask(session, "has-chunks", [bound(seq), checksum ?? null]);
  return rows.length > 0;
}

function readPayload(row: Row): StoredBody {
  return { body: bodyOf(row, 1), sizeBytes: integerAt(row, 3), checksum: integerAt(row, 4) };
}

function readChunk(row: Row): StoredBatch {
  return {
    firstIndex: integerAt(row, 1),
    count: integerAt(row, 2),
    sizeBytes: integerAt(row, 3),
    body: bodyOf(row, 4),
    offset: integerAt(row, 6),
    checksum: integerAt(row, 7),
  };
}

/** Returns the bytes of a column, or the name in the next column. */
function bodyOf(row: Row, at: number): Uint8Array | string {
  return optionalTextAt(row, at + 1) ?? bodyAt(row, at);
}

function ask(session: Session, name: keyof typeof PAYLOAD_QUESTIONS, values: readonly unknown[]) {
  return session.ask({ name, text: PAYLOAD_QUESTIONS[name], values });
}
