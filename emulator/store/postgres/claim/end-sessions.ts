/**
 * Ends abandoned connections in mid-transaction. A process that stands still or is cut off after half of a batch would otherwise
 * lock the rows of its partitions as long as its connection lasts, which may be hours: no timeout of the server ends a transaction
 * that waits for the rest of a message.
 */
import type { Session } from "../connect/session.ts";
import { sessionNameEnd } from "../connect/settings.ts";

/** Maximum wait for the end of a connection, which frees its locks; it may be busy with the disk, ms. */
const ENDED_MS = 500;

/** @param pid process of one connection; by default all connections of the replica are ended. Throws what `pg` throws. */
export async function endSessions(session: Session, replica: string, pid?: number): Promise<void> {
  await session.ask({
    text: `SELECT pg_terminate_backend(pid, ${ENDED_MS}) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND xact_start IS NOT NULL
        AND right(application_name, length($1)) = $1 AND pid = coalesce($2::integer, pid)`,
    values: [sessionNameEnd(replica), pid],
  });
}
