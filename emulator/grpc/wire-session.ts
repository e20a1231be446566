/** The session of one worker: bundles the orders that come at once, and reads reports no faster than they are stored. */
import type { Buffer } from "node:buffer";
import type { EventEmitter } from "node:events";
import type { HandedJob, LeaseRef } from "../../runtime/protocol/outcome.ts";
import {
  type InputAhead,
  PIECES_VERSION,
  type ServiceOrders,
} from "../../runtime/protocol/session.ts";
import {
  decodeReport,
  encodeOrders,
  MessageLink,
  PIECE_BYTES,
  readWorkerMessage,
  WireError,
  type WorkerMessage,
  writeServiceMessage,
} from "../../runtime/protocol/wire/worker-wire.ts";
import { freeAlone } from "../core/jobs/free-memory.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Send } from "../engine/workers/worker-handle.ts";
import type { WorkerSession } from "../engine/workers/session/worker-session.ts";
import { LargeReport } from "./large-report.ts";
import { OrderBundle } from "./order-bundle.ts";
import { type Status, STATUS } from "./status.ts";

/** Why the service ends a call. */
export interface CallEnd {
  readonly code: Status;
  readonly details: string;
}

const REFUSALS: ReadonlySet<Status> = new Set([
  STATUS.UNAUTHENTICATED,
  STATUS.PERMISSION_DENIED,
  STATUS.NOT_FOUND,
]);

/** Whether trying again is of no use to the worker. */
export function isRefusal(code: Status): boolean {
  return REFUSALS.has(code);
}

/**
 * The connection of one session: a call of gRPC, or frames on a socket. Emits `data` with each message of the worker, and
 * `end`, `error`, `close`, `cancelled`, `finish`, `drain` as streams do. An error that is emitted at it ends it, and tells the worker why.
 */
export interface WorkerCall extends Pick<EventEmitter, "on" | "once"> {
  emit(event: "error", why: CallEnd): boolean;
  /** Answers false when the transport takes nothing more for now. */
  write(message: Buffer, written?: () => void): boolean;
  /** It is over. */
  readonly destroyed: boolean;
  end(): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** Maximum reports that wait to be stored. With more the worker's stream is not read. */
const UNSTORED_REPORTS = 32;

export interface WireSessionOptions {
  readonly call: WorkerCall;
  readonly open: (send: Send) => WorkerSession;
  readonly log: EngineLog;
  /** Maximum time for which receipts of outcomes wait for the next order, which saves a message; default 0. */
  readonly receiptsWaitMs?: number;
}

export class WireSession {
  /** Resolves when the call is over. Never rejects. */
  readonly ended: Promise<void>;
  readonly #call: WorkerCall;
  readonly #session: WorkerSession;
  readonly #log: EngineLog;
  readonly #bundle = new OrderBundle();
  readonly #link: MessageLink<WorkerMessage, LargeReport>;
  readonly #gone = new AbortController();
  /** A large report that is arriving. */
  #arriving: LargeReport | undefined;
  /** Leases of jobs that wait to be sent, or are being sent, by their tokens. */
  readonly #onTheWay = new Map<string, LeaseRef>();
  /** Callbacks by lease token, called when the large input of a job is freed. */
  readonly #sent = new Map<string, () => void>();
  /** Called when an input ahead of its job takes no memory here any more. */
  #inputSent: (() => void) | undefined;
  #takesPieces = false;
  #unstored = 0;
  #flushing = false;
  #over = false;
  readonly #receiptsWaitMs: number;
  #receiptsWait: NodeJS.Timeout | undefined;

  constructor({ call, open, log, receiptsWaitMs = 0 }: WireSessionOptions) {
    this.#call = call;
    this.#log = log;
    this.#receiptsWaitMs = receiptsWaitMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#link = new MessageLink({
      write: (parts) => {
        if (!this.#over) call.write(writeServiceMessage({ ...encodeOrders({}), ...parts }));
      },
      spaceFor: (sizeBytes) => {
        const { receiving } = this.#session;
        this.#arriving = new LargeReport(sizeBytes, receiving, this.#gone.signal);
        return this.#arriving;
      },
      allSent: () => this.#schedule(),
    });
    this.#session = open((orders) => this.#enqueue(orders));
    call.on("data", (bytes: Buffer) => void this.#receive(bytes));
    const over = () => {
      if (this.#over) return;
      this.#over = true;
      clearTimeout(this.#receiptsWait);
      this.#session.disconnected([...this.#onTheWay.values()]);
      for (const isSent of this.#sent.values()) isSent();
      this.#inputSent?.();
      this.#gone.abort(new Error("the session ended while a report waited for room"));
      this.#arriving?.[Symbol.dispose]();
      resolve();
    };
    call.on("end", () => call.end());
    call.on("error", over);
    call.on("close", over);
    call.on("cancelled", over);
    call.on("finish", over);
  }

  /** Ends the call from the service's side. @param reason why the worker must connect again; absent if the service stops */
  end(reason?: string): void {
    if (this.#over) return;
    if (reason === undefined) this.#call.end();
    else this.#call.emit("error", { code: STATUS.UNAVAILABLE, details: reason });
  }

  async #receive(bytes: Buffer): Promise<void> {
    this.#unstored += 1;
    if (this.#unstored === UNSTORED_REPORTS) this.#call.pause();
    try {
      const message = readWorkerMessage(bytes);
      const taken = this.#link.receive(message);
      if (message.piece || message.piecesTaken !== undefined)
        this.#session.heard([...this.#onTheWay.values()]);
      if (taken === undefined) await this.#arriving?.flushed();
      else if (taken.large) await this.#receiveLarge(taken.large, taken.done);
      else {
        const report = decodeReport(taken.message);
        if (report.hello) this.#takesPieces = report.hello.protocolVersion >= PIECES_VERSION;
        await this.#session.receive(report);
      }
    } catch (error) {
      this.#refuse(error);
    } finally {
      if (this.#unstored === UNSTORED_REPORTS) this.#call.resume();
      this.#unstored -= 1;
    }
  }

  /** A report that waits for room is not confirmed and keeps its place. Reports that must not overtake it wait with it. */
  async #receiveLarge(large: LargeReport, done: () => void): Promise<void> {
    this.#arriving = undefined;
    await this.#session.receiveLarge(large.report(), large);
    if (!this.#over) done();
  }

  /** Refuses a report that was not stored. The worker gets no receipt, and repeats it after it has reconnected. */
  #refuse(error: unknown): void {
    this.#session.refuse(error);
    if (this.#over) return;
    const invalid = error instanceof WireError;
    const details = error instanceof Error ? error.message : String(error);
    this.#log.error(
      { workerId: this.#session.worker.id, err: error },
      "a worker's report could not be taken",
    );
    this.#call.emit("error", {
      code: invalid ? STATUS.INVALID_ARGUMENT : STATUS.UNAVAILABLE,
      details,
    });
  }

  #enqueue(orders: ServiceOrders): Promise<void> | undefined {
    if (this.#over) return undefined;
    if (orders.inputAhead) return this.#enqueueInput(orders.inputAhead);
    const largeSent = (orders.jobs ?? [])
      .filter(isLarge)
      .map(({ leaseToken }) => new Promise<void>((sent) => this.#sent.set(leaseToken, sent)));
    this.#bundle.add(orders);
    const { jobs } = this.#bundle;
    const mustWait = this.#takesPieces && (this.#link.isSending || jobs.some(isLarge));
    if (mustWait)
      for (const lease of leasesOf(orders.jobs ?? [])) this.#onTheWay.set(lease.leaseToken, lease);
    if (this.#receiptsWaitMs > 0 && areOnlyReceipts(orders))
      this.#receiptsWait ??= setTimeout(() => this.#schedule(), this.#receiptsWaitMs);
    else this.#schedule();
    return largeSent.length > 0 ? Promise.all(largeSent).then(() => undefined) : undefined;
  }

  /** Resolves when the worker has the input, or never gets it. */
  #enqueueInput(inputAhead: InputAhead): Promise<void> {
    this.#inputSent?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#inputSent = resolve;
    this.#bundle.add({ inputAhead });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#over || this.#flushing) return;
    this.#flushing = true;
    // Runs after the orders of a batch are released, and before its waiters continue.
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#receiptsWait);
    this.#receiptsWait = undefined;
    const orders = this.#over ? undefined : this.#bundle.take(this.#link.isSending);
    if (!orders) {
      this.#flushing = false;
      return;
    }
    const more = () => this.#flush();
    if (!this.#write(orders)) this.#call.once("drain", more);
    else if (this.#bundle.isEmpty) this.#flushing = false;
    else setImmediate(more);
  }

  /** False if the transport is full for now. */
  #write(orders: ServiceOrders): boolean {
    const { jobs = [], inputAhead } = orders;
    const bytes = writeServiceMessage(encodeOrders(orders));
    if (inputAhead) {
      const sent = this.#inputSent;
      this.#link.send(bytes, () => {
        freeAlone(bytes);
        sent?.();
      });
      return true;
    }
    const leases = leasesOf(jobs);
    if (this.#takesPieces && jobs.some(isLarge)) {
      this.#link.send(bytes, () => {
        freeAlone(bytes);
        this.#areSent(leases);
        this.#arrived(leases);
      });
      return true;
    }
    this.#arrived(leases);
    return this.#call.write(bytes, () => this.#areSent(leases));
  }

  #areSent(leases: readonly LeaseRef[]): void {
    for (const { leaseToken } of leases) {
      this.#sent.get(leaseToken)?.();
      this.#sent.delete(leaseToken);
    }
  }

  #arrived(leases: readonly LeaseRef[]): void {
    const arrived = leases.filter(({ leaseToken }) => this.#onTheWay.delete(leaseToken));
    if (arrived.length > 0) this.#session.arrived(arrived);
  }
}

function areOnlyReceipts({ outcomeReceipts, ...rest }: ServiceOrders): boolean {
  return outcomeReceipts !== undefined && !Object.values(rest).flat().some(Boolean);
}

function isLarge({ input }: HandedJob): boolean {
  return input.byteLength > PIECE_BYTES;
}

/** The leases without the inputs, so that waiting for a delivery keeps no input in memory. */
function leasesOf(jobs: readonly HandedJob[]): readonly LeaseRef[] {
  return jobs.map(({ jobId, leaseToken }) => ({ jobId, leaseToken }));
}
