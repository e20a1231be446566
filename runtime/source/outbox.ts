/** Gathers a worker's reports until they can be sent, and cuts them into messages of bounded size. */
import { PIECE_BYTES } from "../protocol/wire/worker-wire.ts";
import type { Failure } from "../protocol/failure.ts";
import { leaseKey, type LeaseRef, type Outcome, outputOf } from "../protocol/outcome.ts";
import type {
  ChunkReport,
  HandlerReady,
  Hello,
  OutcomeReport,
  PauseReport,
  ProgressReport,
  WorkerReport,
} from "../protocol/session.ts";

/** All waiting reports, in the order in which the service applies the fields of a bundle. */
export class Outbox {
  #hello: Hello | undefined;
  #ready: HandlerReady | undefined;
  #schemas: Uint8Array | undefined;
  #initFailure: Failure | undefined;
  #renewals: readonly LeaseRef[] = [];
  #chunks: ChunkReport[] = [];
  readonly #progress = new Map<string, ProgressReport>();
  #outcomes: OutcomeReport[] = [];
  /** Waiting outcomes that the service does not know of. */
  readonly #unpaused = new Set<OutcomeReport>();
  /** A renewal is sent even as an empty bundle: it shows that the worker is alive. */
  #isAlive = false;
  #draining = false;
  #credit = 0;
  readonly #pauses = new Map<string, PauseReport>();
  #filled = false;

  get isEmpty(): boolean {
    return !this.#filled;
  }

  /** Call it when a new session begins: reports that waited for the old one are void. */
  restart(hello: Hello): void {
    this.#clear();
    this.#hello = hello;
    this.#filled = true;
  }

  ready(ready: HandlerReady): void {
    this.#ready = ready;
    this.#filled = true;
  }

  describe(schemas: Uint8Array): void {
    this.#schemas = schemas;
    this.#filled = true;
  }

  initFailed(failure: Failure): void {
    this.#initFailure = failure;
    this.#filled = true;
  }

  renew(leases: readonly LeaseRef[]): void {
    this.#renewals = leases;
    this.#isAlive = true;
    this.#filled = true;
  }

  chunks(report: ChunkReport): void {
    this.#chunks.push(report);
    this.#filled = true;
  }

  progress(progress: ProgressReport): void {
    this.#progress.set(leaseKey(progress), progress);
    this.#filled = true;
  }

  pause(pause: PauseReport): void {
    this.#pauses.set(leaseKey(pause), pause);
    this.#filled = true;
  }

  /** Unsent progress and pauses are useless once the job has ended. */
  outcome(report: OutcomeReport): void {
    this.#progress.delete(leaseKey(report));
    this.#pauses.delete(leaseKey(report));
    this.#outcomes.push(report);
    this.#unpaused.add(report);
    this.#filled = true;
  }

  /** Call it when the lease has ended: nothing more is reported about it. */
  forget(lease: LeaseRef): void {
    this.forgetStream(lease);
    this.#outcomes = this.#outcomes.filter((outcome) => leaseKey(outcome) !== leaseKey(lease));
  }

  /** Call it when nothing is kept of the job but its outcome. */
  forgetStream(lease: LeaseRef): void {
    this.#progress.delete(leaseKey(lease));
    this.#pauses.delete(leaseKey(lease));
    this.#chunks = this.#chunks.filter((chunks) => leaseKey(chunks) !== leaseKey(lease));
  }

  draining(): void {
    this.#draining = true;
    this.#credit = 0;
    this.#filled = true;
  }

  /** Voids granted credit that was not sent yet. */
  voidCredit(): void {
    this.#credit = 0;
  }

  grant(credit: number): void {
    if (credit === 0) return;
    this.#credit += credit;
    this.#filled = true;
  }

  /**
   * Takes the next bundle out, if there is anything to send. Payloads beyond `maxBytes` wait for the next bundle. A single
   * payload that is larger than `maxBytes` is sent alone. Outcomes wait for the chunks of their jobs.
   *
   * @param isHeldBack returns true for a lease whose chunks have to wait; default: no lease's chunks wait
   */
  take(maxBytes: number, isHeldBack?: (lease: LeaseRef) => boolean): WorkerReport | undefined {
    if (!this.#filled) return undefined;
    const mayGo = (chunks: ChunkReport): boolean => isHeldBack?.(chunks) !== true;
    const [chunks, chunkBytes] = takeUpTo(this.#chunks, maxBytes, chunkBytesOf, mayGo);
    const progress = [...this.#progress.values()];
    const waiting = new Set(this.#chunks.map(leaseKey));
    const isNext = (outcome: OutcomeReport): boolean => !waiting.has(leaseKey(outcome));
    const room = maxBytes - chunkBytes;
    const [outcomes] = takeUpTo(this.#outcomes, room, outcomeBytes, isNext, chunks.length > 0);
    const payloads: WorkerReport = {
      ...(chunks.length === 0 ? undefined : { chunks }),
      ...(progress.length === 0 ? undefined : { progress }),
      ...(outcomes.length === 0 ? undefined : { outcomes }),
      ...(this.#credit === 0 ? undefined : { credit: this.#credit }),
    };
    if (payloadBytesOf(payloads) > PIECE_BYTES) this.#pauseEnded(outcomes);
    this.#progress.clear();
    this.#credit = 0;
    return this.#with(payloads);
  }

  /**
   * Takes out the reports that may overtake a large bundle: all except payloads, and credit, which would bring further jobs. A
   * job that is handed back may overtake, because its earlier reports no longer count.
   */
  takeUrgent(): WorkerReport | undefined {
    if (!this.#filled) return undefined;
    const isBack = ({ outcome }: OutcomeReport): boolean => outcome.kind === "handed-back";
    const [outcomes] = takeUpTo(this.#outcomes, 0, outcomeBytes, isBack);
    this.#pauseEnded([]);
    return this.#with(outcomes.length === 0 ? {} : { outcomes });
  }

  /** Pauses the time of jobs while their outcomes are being sent, because they no longer run. */
  #pauseEnded(leaving: readonly OutcomeReport[]): void {
    for (const outcome of [...leaving, ...this.#outcomes]) {
      if (!this.#unpaused.delete(outcome)) continue;
      const { jobId, leaseToken } = outcome;
      this.#pauses.set(leaseKey(outcome), { jobId, leaseToken, isPaused: true, pausedMs: 0 });
    }
  }

  /** A bundle of these reports and all small ones; undefined for none. */
  #with(payloads: WorkerReport): WorkerReport | undefined {
    const report: WorkerReport = {
      ...(this.#hello === undefined ? undefined : { hello: this.#hello }),
      ...(this.#ready === undefined ? undefined : { ready: this.#ready }),
      ...(this.#initFailure === undefined ? undefined : { initFailure: this.#initFailure }),
      ...(this.#renewals.length === 0 ? undefined : { renewals: this.#renewals }),
      ...payloads,
      ...(this.#draining ? { draining: true } : undefined),
      ...(this.#pauses.size === 0 ? undefined : { pauses: [...this.#pauses.values()] }),
      ...(this.#schemas === undefined ? undefined : { schemas: this.#schemas }),
    };
    const saysSomething = this.#isAlive || Object.keys(report).length > 0;
    this.#clearSmall();
    for (const outcome of report.outcomes ?? []) this.#unpaused.delete(outcome);
    this.#filled =
      this.#chunks.length + this.#outcomes.length + this.#progress.size + this.#credit > 0;
    return saysSomething ? report : undefined;
  }

  #clearSmall(): void {
    this.#isAlive = false;
    this.#hello = undefined;
    this.#ready = undefined;
    this.#schemas = undefined;
    this.#initFailure = undefined;
    this.#renewals = [];
    this.#draining = false;
    this.#pauses.clear();
  }

  #clear(): void {
    this.#clearSmall();
    this.#chunks = [];
    this.#outcomes = [];
    this.#progress.clear();
    this.#credit = 0;
    this.#unpaused.clear();
    this.#filled = false;
  }
}

/** Removes sendable entries from `queue` while they fit. The first one always fits, unless the bundle is `begun`. */
function takeUpTo<T>(
  queue: T[],
  maxBytes: number,
  bytesOf: (entry: T) => number,
  mayGo: (entry: T) => boolean,
  begun = false,
): [T[], number] {
  let bytes = 0;
  let isFull = false;
  const taken: T[] = [];
  const left: T[] = [];
  for (const entry of queue) {
    const more = bytes + bytesOf(entry);
    isFull ||= more > maxBytes && (taken.length > 0 || begun);
    if (isFull || !mayGo(entry)) {
      left.push(entry);
      continue;
    }
    bytes = more;
    taken.push(entry);
  }
  queue.splice(0, queue.length, ...left);
  return [taken, bytes];
}

/** Total bytes of its payloads. */
export function payloadBytesOf({ chunks, progress, outcomes }: WorkerReport): number {
  let bytes = 0;
  for (const report of chunks ?? []) bytes += chunkBytesOf(report);
  for (const { value } of progress ?? []) bytes += value.byteLength;
  for (const report of outcomes ?? []) bytes += outcomeBytes(report);
  return bytes;
}

function chunkBytesOf({ lines }: ChunkReport): number {
  return lines.byteLength;
}

function outcomeBytes({ outcome }: { readonly outcome: Outcome }): number {
  return outputOf(outcome)?.byteLength ?? 0;
}
