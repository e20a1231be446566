/** Port: one session with the service, from its opening to its end, over any transport. */
import type { ServiceOrders, WorkerReport } from "../protocol/session.ts";

/** The end of a session. */
export interface SessionEnd {
  /** True: the service refused this worker; trying again is of no use. */
  readonly refused: boolean;
  readonly reason: string;
  /** It was ended by the service, which has said where to open the next one: at once. */
  readonly isRedirected?: boolean;
}

export interface SessionEvents {
  orders(orders: ServiceOrders): void;
  /** There is room for another bundle. */
  writable(): void;
  /** Called once; nothing comes after it. */
  ended(end: SessionEnd): void;
}

export interface Session {
  /** False while another bundle would only wait behind those on their way. */
  readonly isWritable: boolean;
  /** True while a large bundle is being sent in pieces. Only messages that may overtake the bundle are sent meanwhile. */
  readonly isSending: boolean;
  /** Grows as long as the service takes what was sent in pieces. */
  readonly confirmed: number;
  send(report: WorkerReport): void;
  /** Says goodbye after everything sent so far, and waits for the service to do the same, but not for long. */
  close(): Promise<void>;
}

/** Opens a session; calls the events never before it has returned. */
export type OpenSession = (events: SessionEvents) => Session;
