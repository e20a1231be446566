/** The other side of the job source contract: a service that a test scripts. */
import type { ServiceOrders, WorkerReport } from "../../../runtime/protocol/session.ts";
import type { JobSource } from "../../../runtime/source/job-source.ts";

/** One session as the service sees it: all messages of the worker, in order. */
export class ScriptedSession {
  readonly reports: WorkerReport[] = [];
  readonly #send: (orders: ServiceOrders) => void;
  readonly #cut: () => void;
  readonly #ended = Promise.withResolvers<void>();
  #look: (() => void)[] = [];

  constructor(send: (orders: ServiceOrders) => void, cut: () => void) {
    this.#send = send;
    this.#cut = cut;
  }

  send(orders: ServiceOrders): void {
    this.#send(orders);
  }

  /** Breaks the connection. */
  cut(): void {
    this.#cut();
  }

  /** Resolves when the worker has ended the session. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  heard(report: WorkerReport): void {
    this.reports.push(report);
    for (const look of this.#look) look();
  }

  end(): void {
    this.#ended.resolve();
  }

  /** All values of one field so far. */
  all<K extends "renewals" | "chunks" | "progress" | "outcomes" | "pauses">(
    field: K,
  ): NonNullable<WorkerReport[K]>[number][] {
    return this.reports.flatMap((report) => [...(report[field] ?? [])]);
  }

  get credit(): number {
    return this.reports.reduce((sum, report) => sum + (report.credit ?? 0), 0);
  }

  /** Resolves when the messages so far meet the condition. */
  until(condition: (session: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (condition(this)) resolve();
      };
      this.#look.push(look);
      look();
    });
  }
}

export interface ScriptedService extends AsyncDisposable {
  /** The next session a worker opens, in order. */
  nextSession(): Promise<ScriptedSession>;
  /** Refuses every worker from now on. */
  refuse(because: "token" | "endpoint"): void;
  /** Stops listening and cuts all sessions. */
  stop(): Promise<void>;
  /** Listens again at the same address. */
  restart(): Promise<void>;
  /** A source of this service that retries after a few milliseconds. */
  newSource(): JobSource;
}
