/** Begins a start again when its connection is lost, as long as a running process would wait. */
import type { Patience } from "./patience.ts";
import { isConnectionLoss } from "./postgres-error.ts";
import type { Session } from "./session.ts";

/**
 * Does the work on a new connection, and again on another one if that is lost. Does not wait for a database that cannot be reached
 * at first. Throws what `work` throws, and what `pg` throws.
 *
 * @param patience called when the first connection is lost
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
