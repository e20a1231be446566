/**
 * What replicas tell each other over the database: that somebody has another part now, or other records. It is a hint, which may
 * get lost: who renews its claim looks for both.
 */
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import type { Session, Statement } from "../connect/session.ts";

export type Notice = "parts" | "records";

/** A name has 63 bytes at most. */
export function channelOf(schema: string): string {
  return `notices_${schema}`.slice(0, 63);
}

export function notice(channel: string, said: Notice): Statement {
  return { name: "notice", text: "SELECT pg_notify($1, $2)", values: [channel, said] };
}

export interface NoticesParts {
  readonly channel: string;
  readonly clock: Clock;
  /** What is said comes back to who said it within this time. */
  readonly echoMs: number;
  readonly hear: (said: Notice) => void;
  readonly warn: (sentence: string) => void;
}

export class Notices {
  readonly #parts: NoticesParts;
  #isTried = false;
  #expected: Disarm | undefined;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  /** Hears by this connection. The first time it says something, and warns if that does not come back. */
  async hearBy(session: Session): Promise<void> {
    const { channel, hear } = this.#parts;
    const echo = crypto.randomUUID();
    await session.listen(channel, (said) => {
      if (said === echo) this.#expected?.();
      else if (said === "parts" || said === "records") hear(said);
    });
    if (this.#isTried) return;
    this.#isTried = true;
    this.#expectEcho();
    await session.ask({ text: "SELECT pg_notify($1, $2)", values: [channel, echo] });
  }

  close(): void {
    this.#expected?.();
  }

  #expectEcho(): void {
    const { clock, echoMs, warn } = this.#parts;
    this.#expected = clock.wakeAt(clock.now() + echoMs, () =>
      warn(
        "notices of the database do not reach this emulator: connect to the server itself, not to a pooler that shares connections; until then emulators learn of each other's changes up to a second late",
      ),
    );
  }
}
