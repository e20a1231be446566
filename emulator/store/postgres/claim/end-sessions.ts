/**
 * Ends abandoned connections in mid-transaction. A process that is suspended or cut off after half of a batch would otherwise
 * keep the rows of its partitions locked while its connection lasts, which may be hours. No timeout of the server ends a
 * transaction that waits for the rest of a message.
 */
import type { Session } from "../connect/session.ts";
import { sessionNameEnd } from "../connect/settings.ts";

/** Maximum time to wait until a connection has ended and freed its locks, ms. Its server process may be busy with the disk. */
const ENDED_MS = 500;

/** @param pid server process of one connection. Default: all connections of the replica. @throws what `pg` throws */
export async function endSessions(session: Session, replica: string, pid?: number): Promise<void> {
  await session.ask({
    text: `SELECT pg_terminate_backend(pid, ${ENDED_MS}) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND xact_start IS NOT NULL
        AND right(application_name, length($1)) = $1 AND pid = coalesce($2::integer, pid)`,
    values: [sessionNameEnd(replica), pid],
  });
}
