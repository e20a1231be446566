/** A start on a database that drops a connection is begun anew, as long as a running process would wait. */
import type { Patience } from "./patience.ts";
import { isConnectionLoss } from "./postgres-error.ts";
import type { Session } from "./session.ts";

/**
 * Does the work on a new connection, again on another one where that was lost. A database that cannot be reached in the first
 * place is not waited for.
 *
 * @param patience is asked for when the first connection is lost. Throws what `work` throws, and what `pg` throws.
 */
export async function overLosses<T>(
  open: () => Promise<Session>,
  work: (session: Session) => Promise<T>,
  patience: () => Patience,
): Promise<T> {
  let waiting: Patience | undefined;
  for (let isThere = false; ;) {
    let session: Session | undefined;
    try {
      session = await open();
      isThere = true;
      return await work(session);
    } catch (error) {
      session?.drop(error);
      if (!isThere || !isConnectionLoss(error)) throw error;
      waiting ??= patience();
      await waiting.after(error);
    }
  }
}
