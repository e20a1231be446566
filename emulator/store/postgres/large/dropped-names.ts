/** Finds large payloads that lose their last row in a batch. */
import type { Change } from "../../batch.ts";
import { placeOf, SLOTS } from "../../rows/payload-columns.ts";
import type { Session, Statement } from "../connect/session.ts";
import { listOf } from "../values/columns.ts";

/** Makes the query for names in rows that the changes replace or delete. Returns undefined if there are none. */
export function namesBefore(changes: readonly Change[]): Statement | undefined {
  const places: number[] = [];
  const seqs: number[] = [];
  for (const made of changes) {
    if (made.type === "put-payload" || made.type === "remove-payload")
      places.push(placeOf(made.seq, made.slot));
    else if (made.type === "share-payload") places.push(placeOf(made.toSeq, made.slot));
    else if (made.type === "remove-chunks") seqs.push(made.seq);
    else if (made.type === "delete-job") {
      places.push(...SLOTS.map((slot) => placeOf(made.job.seq, slot)));
      seqs.push(made.job.seq);
    }
  }
  if (places.length === 0 && seqs.length === 0) return undefined;
  return {
    name: "names-before",
    text: `SELECT name FROM payload WHERE place = ANY($1::bigint[])
      UNION SELECT name FROM chunk_batch WHERE seq = ANY($2::bigint[])`,
    values: [listOf("integer", places), listOf("integer", seqs)],
    answersNames: true,
  };
}

/** Returns those of the names that no row contains. */
export async function unreferred(session: Session, names: readonly string[]): Promise<string[]> {
  const { rows } = await session.ask({
    name: "names-there",
    text: `SELECT name FROM payload WHERE name = ANY($1::text[])
      UNION SELECT name FROM chunk_batch WHERE name = ANY($1::text[])`,
    values: [listOf("json", names)],
  });
  const referred = new Set(rows.map(([name]) => name));
  return names.filter((name) => !referred.has(name));
}

export async function hasLargePayloads(session: Session): Promise<boolean> {
  const { rows } = await session.ask({
    text: `SELECT 1 WHERE EXISTS (SELECT 1 FROM payload WHERE name IS NOT NULL)
      OR EXISTS (SELECT 1 FROM chunk_batch WHERE name IS NOT NULL)`,
  });
  return rows.length > 0;
}
