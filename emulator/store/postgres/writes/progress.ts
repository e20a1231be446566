/** How far the line of batches has come. */
import { integerAt } from "../../../sqlite/row.ts";
import { checkedRow } from "../../rows/checked-row.ts";
import { rowChecksum } from "../../rows/checksum.ts";
import { SERVICE_PART } from "../claim/parts.ts";
import type { Session } from "../connect/session.ts";
import { rowReader } from "../values/columns.ts";

export interface Progress {
  /** The number of the last batch that is stored. */
  readonly batch: number;
  readonly lastSeq: number;
}

const read = rowReader({ last_seq: "integer", batch: "integer", checksum: "integer" });

/** That of a database in which nothing was stored yet is made. */
export async function readProgress(session: Session): Promise<Progress> {
  const answer = await session.ask({
    text: `SELECT last_seq, batch, checksum FROM writer WHERE part = ${SERVICE_PART}`,
  });
  const [stored] = answer.rows;
  if (stored === undefined) {
    await session.ask({
      text: `INSERT INTO writer VALUES (${SERVICE_PART}, 0, 0, $1)`,
      values: [rowChecksum([0, 0])],
    });
    return { batch: 0, lastSeq: 0 };
  }
  const row = checkedRow(read(stored), "writer");
  return { lastSeq: integerAt(row, 0), batch: integerAt(row, 1) };
}
