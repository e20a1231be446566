/**
 * Ends the connections of processes whose time is over. One that stands still or is cut off when the server has half of a
 * batch would otherwise hold the rows of its parts for as long as its connection lasts, which may be hours: no timeout of
 * the server's ends a transaction that waits for the rest of a message.
 */
import type { Session } from "../connect/session.ts";
import { sessionNameEnd } from "../connect/settings.ts";

/** @param but one whose connections are left alone. Throws what `pg` throws. */
export async function endSessionsOfOverdue(session: Session, but: string): Promise<void> {
  const { rows } = await session.ask({
    text: "SELECT DISTINCT replica FROM owner WHERE until < clock_timestamp() AND replica <> $1",
    values: [but],
  });
  for (const [replica] of rows)
    await session.ask({
      text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user AND right(application_name, length($1)) = $1`,
      values: [sessionNameEnd(String(replica))],
    });
}
