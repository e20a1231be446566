/** A worker's session with a service in the same process: messages are passed unchanged, without encoding. */
import type { ServiceOrders, WorkerReport } from "../protocol/session.ts";
import type { OpenSession, Session, SessionEnd, SessionEvents } from "./session.ts";

/** The service's side of one session, which the worker calls. */
export interface LocalServiceSide {
  /** Resolves when the report is durable; rejects if it could not be stored. */
  readonly receive: (report: WorkerReport) => Promise<void>;
  /** The worker is gone. */
  readonly disconnected: () => void;
}

/** The worker's side of one session, which the service calls. */
export interface LocalWorkerSide {
  readonly send: (orders: ServiceOrders) => void;
  /** Ends the session; the worker opens another. */
  readonly cut: (reason: string) => void;
}

/** Maximum reports that wait to be stored; then the worker gathers its further reports. */
const MAX_REPORTS = 4;

/** @param open returns the service's side of a new session, or the reason why it refuses the worker */
export function localSessions(
  open: (worker: LocalWorkerSide) => LocalServiceSide | string,
): OpenSession {
  return (events) => new LocalSession(open, events);
}

class LocalSession implements Session {
  readonly isSending = false;
  readonly confirmed = 0;
  readonly #events: SessionEvents;
  readonly #service: LocalServiceSide | undefined;
  readonly #stored = Promise.withResolvers<void>();
  #unstored = 0;
  #isOver = false;

  constructor(open: (worker: LocalWorkerSide) => LocalServiceSide | string, events: SessionEvents) {
    this.#events = events;
    const service = open({
      send: this.#deliver,
      cut: (reason) => this.#end({ refused: false, reason }),
    });
    if (typeof service !== "string") this.#service = service;
    else queueMicrotask(() => this.#end({ refused: true, reason: service }));
  }

  get isWritable(): boolean {
    return !this.#isOver && this.#unstored < MAX_REPORTS;
  }

  send(report: WorkerReport): void {
    this.#unstored += 1;
    void this.#store(report);
  }

  async #store(report: WorkerReport): Promise<void> {
    try {
      await this.#service?.receive(report);
    } catch (error) {
      // The report has no receipt, so the worker sends it again in its next session.
      this.#end({ refused: false, reason: error instanceof Error ? error.message : String(error) });
    }
    this.#unstored -= 1;
    if (this.#isOver) this.#checkStored();
    else this.#events.writable();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#checkStored();
    await this.#stored.promise;
    this.#service?.disconnected();
  }

  /** Delivers later in this turn, because the service sends orders during its own work, in which the worker must not run. */
  readonly #deliver = (orders: ServiceOrders): void => {
    queueMicrotask(() => {
      if (!this.#isOver) this.#events.orders(orders);
    });
  };

  #checkStored(): void {
    if (this.#unstored === 0) this.#stored.resolve();
  }

  #end(end: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#service?.disconnected();
    this.#events.ended(end);
  }
}
