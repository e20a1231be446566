/** A session that is opened when its service has been checked. Nothing is sent before. */
import type { OpenSession, Session, SessionEnd, SessionEvents } from "./session.ts";

export class LaterSession implements Session {
  #session: Session | undefined;
  #isClosed = false;

  /** @param opening never rejects; resolves with a function that opens the session, or the reason why it cannot be opened */
  constructor(opening: Promise<OpenSession | SessionEnd>, events: SessionEvents) {
    void opening.then((found) => {
      if (this.#isClosed) return;
      if (typeof found !== "function") return events.ended(found);
      this.#session = found(events);
      events.writable();
    });
  }

  get isWritable(): boolean {
    return this.#session?.isWritable ?? false;
  }

  get isSending(): boolean {
    return this.#session?.isSending ?? false;
  }

  get confirmed(): number {
    return this.#session?.confirmed ?? 0;
  }

  send(...args: Parameters<Session["send"]>): void {
    this.#session?.send(...args);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.close();
  }
}
