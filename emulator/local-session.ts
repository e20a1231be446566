/** A worker's session within this process: reports go straight to the engine, orders straight to the worker's job source. */
import type { ServiceOrders, WorkerReport } from "../runtime/protocol/session.ts";
import type { OpenSession, Session, SessionEvents } from "../runtime/source/session.ts";
import type { FleetWorker } from "./engine/fleet-worker.ts";
import { WorkerSession } from "./engine/worker-session.ts";
import type { EngineContext } from "./engine/context.ts";

/** Reports that may wait to be stored before the worker gathers what it has to say. */
const MAX_REPORTS = 4;

export interface LocalService {
  readonly engine: EngineContext;
  /** The worker that the token belongs to; undefined for one that is not good. */
  authenticate(token: string): FleetWorker | undefined;
}

/** Opens sessions for the worker with that token. */
export function localSessions(service: LocalService, token: string): OpenSession {
  return (events) => new LocalSession(service, token, events);
}

class LocalSession implements Session {
  readonly #events: SessionEvents;
  #session: WorkerSession | undefined;
  #unstored = 0;
  #isOver = false;
  readonly #stored = Promise.withResolvers<void>();

  constructor({ engine, authenticate }: LocalService, token: string, events: SessionEvents) {
    this.#events = events;
    const worker = authenticate(token);
    if (worker === undefined) {
      queueMicrotask(() => this.#end({ refused: true, reason: "the worker token is not good" }));
      return;
    }
    this.#session = new WorkerSession(engine, worker, (orders) => this.#deliver(orders));
  }

  get isWritable(): boolean {
    return !this.#isOver && this.#unstored < MAX_REPORTS;
  }

  send(report: WorkerReport): void {
    this.#unstored += 1;
    void this.#store(report);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#checkStored();
    await this.#stored.promise;
    this.#session?.disconnected();
  }

  /** The service says it within a commit, or what follows one: what the worker does then is none of that. */
  #deliver(orders: ServiceOrders): void {
    queueMicrotask(() => {
      if (!this.#isOver) this.#events.orders(orders);
    });
  }

  async #store(report: WorkerReport): Promise<void> {
    try {
      await this.#session?.receive(report);
    } catch (error) {
      // There is no receipt for it: the worker says it again in its next session.
      const reason = error instanceof Error ? error.message : String(error);
      this.#end({ refused: false, reason });
    } finally {
      this.#unstored -= 1;
      this.#checkStored();
      if (!this.#isOver) this.#events.writable();
    }
  }

  #checkStored(): void {
    if (this.#isOver && this.#unstored === 0) this.#stored.resolve();
  }

  #end(end: Parameters<SessionEvents["ended"]>[0]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session?.disconnected();
    this.#events.ended(end);
  }
}
