/** One session over a wire: from its opening to its end. */
import type { Buffer } from "node:buffer";
import type { ServiceOrders, WorkerReport } from "../protocol/session.ts";
import { defined } from "../protocol/without-undefined.ts";
import {
  decodeOrders,
  encodeReport,
  MessageLink,
  PIECE_BYTES,
  PiecesInMemory,
  readServiceMessage,
  type ServiceMessage,
  WireError,
  writeWorkerMessage,
} from "../protocol/wire/worker-wire.ts";
import { payloadBytesOf } from "./outbox.ts";
import type { Session, SessionEnd, SessionEvents } from "./session.ts";

/** Maximum bundles on their way; more would only lengthen the queue inside the transport. */
const MAX_WRITES = 4;
/** Timeout of the goodbye of an ended session. */
const GOODBYE_MS = 1_000;

/** The worker's end of what carries the messages of one session: a call of gRPC, or frames on a socket. */
export interface Wire {
  /** @param message its parts @param written called when the transport has taken the message */
  write(message: readonly Buffer[], written?: () => void): void;
  /** Says that nothing follows; the wire ends when the service has said so too. */
  end(): void;
  /** Ends at once. @param reason what is wrong with what the service sent */
  cancel(reason?: string): void;
}

export interface WireEvents {
  message(bytes: Buffer): void;
  /** Called once, never before `OpenWire` has returned; nothing comes after it. */
  ended(end: SessionEnd): void;
}

export type OpenWire = (events: WireEvents) => Wire;

/** The worker that opens a session. */
export interface Opener {
  readonly token: string;
  /** The id by which the service recognises a worker that it has not started. */
  readonly instance: string;
}

/** Opens on construction. */
export class WireSession implements Session {
  readonly #wire: Wire;
  readonly #ended = Promise.withResolvers<void>();
  readonly #link: MessageLink<ServiceMessage, PiecesInMemory>;
  readonly #onWritten: () => void;
  #writes = 0;
  #isClosing = false;

  constructor(open: OpenWire, events: SessionEvents) {
    this.#wire = open({
      message: (bytes) => this.#receive(bytes, events),
      ended: (end) => {
        this.#ended.resolve();
        events.ended(end);
      },
    });
    this.#link = new MessageLink({
      write: (parts) => this.#wire.write(writeWorkerMessage({ ...encodeReport({}), ...parts })),
      spaceFor: (sizeBytes) => new PiecesInMemory(sizeBytes),
      allSent: () => {
        if (this.#isClosing) this.#wire.end();
        else events.writable();
      },
    });
    this.#onWritten = () => {
      this.#writes--;
      events.writable();
    };
  }

  get isWritable(): boolean {
    return this.#writes < MAX_WRITES;
  }

  get isSending(): boolean {
    return this.#link.isSending;
  }

  get confirmed(): number {
    return this.#link.confirmed;
  }

  send(report: WorkerReport): void {
    if (payloadBytesOf(report) <= PIECE_BYTES) return this.#write(report);
    // Written with its credit: no further job may come before the results of finished ones.
    const { chunks, progress, outcomes, credit, ...urgent } = report;
    if (Object.keys(urgent).length > 0) this.#write(urgent);
    const large = encodeReport(defined({ chunks, progress, outcomes, credit }));
    this.#link.send(writeWorkerMessage(large));
  }

  #write(report: WorkerReport): void {
    this.#writes++;
    this.#wire.write(writeWorkerMessage(encodeReport(report)), this.#onWritten);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#link.isSending) this.#wire.end();
    const limit = setTimeout(() => this.#wire.cancel(), GOODBYE_MS);
    await this.#ended.promise;
    clearTimeout(limit);
  }

  #receive(bytes: Buffer, events: SessionEvents): void {
    let orders: ServiceOrders;
    try {
      const taken = this.#link.receive(readServiceMessage(bytes));
      if (taken === undefined) return;
      if (taken.large) {
        orders = decodeOrders(readServiceMessage(taken.large.whole));
        taken.done();
      } else orders = decodeOrders(taken.message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#wire.cancel(error.message);
      return;
    }
    events.orders(orders);
  }
}
