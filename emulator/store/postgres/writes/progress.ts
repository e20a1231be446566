/** How far the lines of batches have come: each replica writes one, that of its slot. */
import { integerAt } from "../../../sqlite/row.ts";
import { checkedRow } from "../../rows/checked-row.ts";
import { rowChecksum } from "../../rows/checksum.ts";
import type { Session } from "../connect/session.ts";
import { rowReader } from "../values/columns.ts";

export interface Progress {
  /** The number of the last batch that is stored. */
  readonly batch: number;
  readonly lastSeq: number;
}

const read = rowReader({ last_seq: "integer", batch: "integer", checksum: "integer" });

export const HIGHEST_SEQ = "SELECT coalesce(max(last_seq), 0) FROM writer";

/** A line in which nothing was stored yet is made. */
export async function readProgress(session: Session, slot: number): Promise<Progress> {
  const answer = await session.ask({
    text: "SELECT last_seq, batch, checksum FROM writer WHERE part = $1",
    values: [slot],
  });
  const [stored] = answer.rows;
  if (stored === undefined) {
    await session.ask({
      text: "INSERT INTO writer VALUES ($1, 0, 0, $2)",
      values: [slot, rowChecksum([0, 0])],
    });
    return { batch: 0, lastSeq: 0 };
  }
  const row = checkedRow(read(stored), "writer");
  return { lastSeq: integerAt(row, 0), batch: integerAt(row, 1) };
}

/** The highest key of all lines. */
export async function highestSeq(session: Session): Promise<number> {
  const { rows } = await session.ask({ text: HIGHEST_SEQ });
  return Number(rows[0]?.[0] ?? 0);
}
