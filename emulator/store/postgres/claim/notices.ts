/**
 * Notices between replicas, sent through the database, that partitions or records have changed. A notice may get lost, so each
 * renewal of a claim also looks for both.
 */
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import type { Session, Statement } from "../connect/session.ts";

export type Notice = "partitions" | "records";

/** The name of a channel has at most 63 bytes. */
export function channelOf(schema: string): string {
  return `notices_${schema}`.slice(0, 63);
}

export function notice(channel: string, said: Notice): Statement {
  return { name: "notice", text: "SELECT pg_notify($1, $2)", values: [channel, said] };
}

export interface NoticesParts {
  readonly channel: string;
  readonly clock: Clock;
  /** Timeout of the echo of the first notice. */
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

  /** Listens on this connection. The first call sends a notice, and warns if the notice does not come back. */
  async hearBy(session: Session): Promise<void> {
    const { channel, hear } = this.#parts;
    const echo = crypto.randomUUID();
    await session.listen(channel, (said) => {
      if (said === echo) this.#expected?.();
      else if (said === "partitions" || said === "records") hear(said);
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
        "notices of the database do not reach this emulator: connect to the server itself, not to a pooler that shares connections; until then emulators notice each other's changes up to a second late",
      ),
    );
  }
}
