/** Progress of the lines of batches. Each replica writes the line of its slot. */
import type { Session } from "../connect/session.ts";

export interface Progress {
  readonly batch: number;
  readonly lastSeq: number;
}

export const HIGHEST_SEQ = "SELECT coalesce(max(last_seq), 0) FROM writer";

/** Reads the line, and makes it if it does not exist. */
export async function readProgress(session: Session, slot: number): Promise<Progress> {
  const { rows } = await session.ask({
    text: "SELECT last_seq, batch FROM writer WHERE partition = $1",
    values: [slot],
  });
  if (rows[0] === undefined)
    await session.ask({ text: "INSERT INTO writer VALUES ($1, 0, 0)", values: [slot] });
  const [lastSeq, batch] = rows[0] ?? [0, 0];
  return { lastSeq: Number(lastSeq), batch: Number(batch) };
}

export async function highestSeq(session: Session): Promise<number> {
  const { rows } = await session.ask({ text: HIGHEST_SEQ });
  return Number(rows[0]?.[0] ?? 0);
}
