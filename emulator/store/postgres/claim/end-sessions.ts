/**
 * Ends the connections in mid-transaction of processes whose time is over. One that stands still or is cut off when the server
 * has half of a batch would otherwise hold the rows of its parts for as long as its connection lasts, which may be hours: no
 * timeout of the server's ends a transaction that waits for the rest of a message.
 */
import type { Session } from "../connect/session.ts";
import { sessionNameEnd } from "../connect/settings.ts";

/** Throws what `pg` throws. */
export async function endSessions(session: Session, replicas: readonly unknown[]): Promise<void> {
  for (const replica of replicas)
    await session.ask({
      text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user AND xact_start IS NOT NULL
          AND right(application_name, length($1)) = $1`,
      values: [sessionNameEnd(String(replica))],
    });
}
