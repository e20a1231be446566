/** Port: one session with the service, from its opening to its end, over any transport. */
import type { ServiceOrders, WorkerReport } from "../protocol/session.ts";

/** The end of a session. */
export interface SessionEnd {
  /** True: the service refused this worker, and another try is useless. */
  readonly refused: boolean;
  readonly reason: string;
  /** The service ended the session and named the address of the next one, to be opened at once. */
  readonly isRedirected?: boolean;
}

export interface SessionEvents {
  orders(orders: ServiceOrders): void;
  /** There is room for another bundle. */
  writable(): void;
  /** Called once, after all other calls. */
  ended(end: SessionEnd): void;
}

export interface Session {
  /** False while another bundle would only wait behind the sent ones. */
  readonly isWritable: boolean;
  /** True while a large bundle is being sent in pieces. Only messages that may overtake the bundle are sent meanwhile. */
  readonly isSending: boolean;
  /** Grows as long as the service receives pieces. */
  readonly confirmed: number;
  send(report: WorkerReport): void;
  /** Says goodbye after everything sent so far, and waits for the service's goodbye for a limited time. */
  close(): Promise<void>;
}

/** Opens a session. Calls no event before it has returned. */
export type OpenSession = (events: SessionEvents) => Session;
