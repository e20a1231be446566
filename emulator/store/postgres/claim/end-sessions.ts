/**
 * Ends connections in mid-transaction that nobody goes on with. One that stands still or is cut off when the server has half of
 * a batch would otherwise hold the rows of its parts for as long as its connection lasts, which may be hours: no timeout of the
 * server's ends a transaction that waits for the rest of a message.
 */
import type { Session } from "../connect/session.ts";
import { sessionNameEnd } from "../connect/settings.ts";

/** What it holds is free when it has ended; one that is busy with the disk is not waited for any longer, ms. */
const ENDED_MS = 500;

/** @param pid of the one that is meant; by default all of that process are. Throws what `pg` throws. */
export async function endSessions(session: Session, replica: string, pid?: number): Promise<void> {
  await session.ask({
    text: `SELECT pg_terminate_backend(pid, ${ENDED_MS}) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND xact_start IS NOT NULL
        AND right(application_name, length($1)) = $1 AND pid = coalesce($2::integer, pid)`,
    values: [sessionNameEnd(replica), pid],
  });
}
