/** Waits between attempts to reach a database, up to a maximum time. */
import type { Clock } from "../../../core/time/clock.ts";
import { pause } from "../../../core/time/pause.ts";
import type { Times } from "../options.ts";
import { isConnectionLoss } from "./postgres-error.ts";
import type { Session } from "./session.ts";

export class ReconnectWait {
  readonly #clock: Clock;
  readonly #retryMs: number;
  readonly #until: number;
  readonly #signal: AbortSignal;

  /** @param signal aborts the wait */
  constructor(clock: Clock, { reconnectFor, retry }: Times, signal: AbortSignal) {
    this.#clock = clock;
    this.#retryMs = retry;
    this.#until = clock.now() + reconnectFor;
    this.#signal = signal;
  }

  /** Resolves when it is time to try again. @throws `error` after the maximum time */
  async after(error: unknown): Promise<void> {
    if (this.#signal.aborted || this.#clock.now() >= this.#until) throw error;
    await pause(this.#clock, this.#retryMs, this.#signal);
  }
}

/**
 * Does the work on a new connection, and repeats it on another one if the connection is lost. Does not wait for a database that
 * is unreachable from the beginning. Throws what `work` throws, and what `pg` throws.
 *
 * @param newWait called when the first connection is lost
 */
export async function withReconnects<T>(
  open: () => Promise<Session>,
  work: (session: Session) => Promise<T>,
  newWait: () => ReconnectWait,
): Promise<T> {
  let waiting: ReconnectWait | undefined;
  for (let isThere = false; ;) {
    let session: Session | undefined;
    try {
      session = await open();
      isThere = true;
      return await work(session);
    } catch (error) {
      session?.drop(error);
      if (!isThere || !isConnectionLoss(error)) throw error;
      waiting ??= newWait();
      await waiting.after(error);
    }
  }
}
