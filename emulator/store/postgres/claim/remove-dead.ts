/** Removes the rows of dead replicas, and frees their partitions. */
import type { Session } from "../connect/session.ts";
import { arraysOf, listOf } from "../values/columns.ts";
import { endSessions } from "./end-sessions.ts";
import type { RenewalRow, SeenRenewals } from "./seen-renewals.ts";

const ROWS = "SELECT id, term, renewals, lease_ms FROM replica ORDER BY id";
/** A replica that has renewed its row since the last look is alive. */
const OVER = `SELECT id FROM replica JOIN unnest($1::bigint[], $2::bigint[]) AS u (term, renewals) USING (term, renewals)
  ORDER BY id FOR UPDATE OF replica SKIP LOCKED`;
const OWN = "SELECT id FROM replica WHERE id = $1 FOR UPDATE";
const BURY = `WITH dead AS (SELECT * FROM replica WHERE id = ANY($1::text[])),
    noted AS (INSERT INTO former_replica (term, batch, ended_at)
      SELECT term, coalesce((SELECT batch FROM writer WHERE writer.partition = dead.slot), 0), (SELECT highest FROM service_clock) FROM dead),
    freed AS (UPDATE owner SET replica = NULL, epoch = epoch + 1 FROM dead WHERE owner.replica = dead.id)
  DELETE FROM replica WHERE id = ANY($1::text[])`;

/**
 * Removes rows with an expired lease, except rows that a batch has locked. Always removes the row of `own`. Call this within a
 * transaction. Returns the number of removed rows.
 */
export async function removeDead(
  session: Session,
  seen: SeenRenewals,
  own?: string,
): Promise<number> {
  const over = await overdue(session, seen, own);
  for (const { id } of over) await endSessions(session, id);
  const values = arraysOf(
    { term: "integer", renewals: "integer" },
    over.map(({ term, renewals }) => [term, renewals]),
  );
  const { rows } = await session.ask({ text: OVER, values });
  const owns = own === undefined ? [] : (await session.ask({ text: OWN, values: [own] })).rows;
  // A statement that begins after the rows are locked sees their last batches.
  const ids = [...new Set([...rows, ...owns].map(([id]) => String(id)))];
  if (ids.length > 0) await session.ask({ text: BURY, values: [listOf("json", ids)] });
  return ids.length;
}

async function overdue(session: Session, seen: SeenRenewals, own: string | undefined) {
  const { rows } = await session.ask({ text: ROWS });
  const found = rows.map(([id, term, renewals, leaseMs]): RenewalRow & { readonly id: string } => ({
    id: String(id),
    term: Number(term),
    renewals: Number(renewals),
    leaseMs: Number(leaseMs),
  }));
  seen.look(found, performance.now());
  return found.filter((row) => row.id !== own && seen.leftMs(row) < 0);
}
