/** A few connections for questions, opened on demand. Each question has its own connection. */
import { StoreClosedError } from "../../../core/store-error.ts";
import type { Clock } from "../../../core/time/clock.ts";
import { isConflict, isConnectionLoss, messageOf } from "./postgres-error.ts";
import type { ReconnectWait } from "./reconnect-wait.ts";
import { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

/** Maximum number of connections. */
const MAX_SESSIONS = 4;

/** Time after a logged loss in which further losses belong to the same incident. */
const TOGETHER_MS = 5_000;

export class SessionPool {
  readonly #open: () => Promise<Session>;
  readonly #idle: Session[] = [];
  /** Questions that wait for a free connection. */
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  /**
   * Does the work, and repeats it on another connection if the connection is lost.
   *
   * @throws StoreClosedError after `close`; what the work throws, and what `pg` throws
   */
  async use<T>(work: (session: Session) => Promise<T>, reconnectFor: ReconnectWait): Promise<T> {
    if (this.#isClosed) throw new StoreClosedError();
    for (;;) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isConnectionLoss(error) && !isConflict(error)) throw error;
        await reconnectFor.after(error);
      }
    }
  }

  /** Waits for the questions under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#used > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.all(this.#idle.splice(0).map((session) => session.end()));
  }

  async #once<T>(work: (session: Session) => Promise<T>): Promise<T> {
    while (this.#used >= MAX_SESSIONS)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#used += 1;
    let session: Session | undefined;
    try {
      session = await this.#take();
      const answer = await work(session);
      this.#giveBack(session);
      return answer;
    } catch (error) {
      // The connection may be in a transaction.
      session?.drop(error);
      throw error;
    } finally {
      this.#used -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Session> {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop())
      if (!session.isBroken) return session;
    return this.#open();
  }

  #giveBack(session: Session): void {
    if (this.#isClosed) void session.end();
    else this.#idle.push(session);
  }
}

/**
 * Returns a function that opens a connection. An answer that takes longer than `answerMs` (default: `usualMs`) ends the
 * connection.
 */
export function sessionOpener(
  settings: Settings,
  usualMs: number,
  clock: Clock,
  warn: (sentence: string) => void,
): (answerMs?: number) => Promise<Session> {
  let quietUntil = Number.NEGATIVE_INFINITY;
  const onLost = (error: unknown) => {
    const now = clock.now();
    if (now < quietUntil) return;
    quietUntil = now + TOGETHER_MS;
    warn(`a connection to the database was lost, and is opened again: ${messageOf(error)}`);
  };
  return (answerMs = usualMs) => Session.open(settings, answerMs, onLost);
}
