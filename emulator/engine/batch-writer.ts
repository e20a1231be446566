/**
 * Runs steps on memory and makes what they changed durable, batch by batch: while one is written the next one gathers. Nobody
 * is answered before the batch is in the store, and what cannot be stored is taken back from memory: all of a batch for which
 * there is no room, or what a batch that is refused for its data has of the endpoints whose data that is.
 */
import { ServiceError } from "../core/service-error.ts";
import { StoreClosedError } from "../core/store-error.ts";
import { NO_COUNTS } from "../core/jobs/job-counts.ts";
import type { Clock, Disarm } from "../core/time/clock.ts";
import type { Batch } from "../store/batch.ts";
import { atEndOfTurn } from "../store/end-of-turn.ts";
import { BatchRefusedError } from "../store/store.ts";
import { type Journal, undoAll } from "../core/journal.ts";
import type { Effects } from "./effects.ts";
import { GatheredBatch, ONLOOKER, type Waiter } from "./gathered-batch.ts";
import { Step, type StepState } from "./step.ts";
import { type Contents, contentsOf, independentParts, restingOn } from "./step-changes.ts";

/** A gathering batch takes no more than so many steps, and so many bytes that lie in no file. */
const MAX_STEPS = 1_024;
const MAX_BYTES = 8_000_000;
/** A step that somebody waits for waits for so long for room in it, real time. */
const ROOM_WAIT_MS = 10_000;
/** A flush that takes longer holds up what workers say. */
const SLOW_FLUSH_MS = 2_000;

export interface BatchWriterOptions {
  readonly state: StepState;
  readonly journal: Journal;
  /** The number of the last batch in the store. */
  readonly durable: number;
  readonly flush: (batch: Batch) => Promise<void>;
  /** Real time. */
  readonly clock: Clock;
  /** For how long a batch of patient steps gathers, real time. */
  readonly gatherMs: number;
  readonly lastSeq: () => number;
  /** Does what the steps of a durable batch asked for, in their order. */
  readonly release: (effects: readonly Effects[]) => void;
  /** Called with the effects of steps that were refused by the store, whose changes of memory were taken back. */
  readonly failed: (effects: readonly Effects[]) => void;
  /** Called when something is to be written again, with when nothing is any more. */
  readonly busy: (idle: Promise<void>) => void;
}

/** A step must not be asynchronous. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T;

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #gathering: GatheredBatch;
  #flushing: GatheredBatch | undefined;
  /** The number of the last batch in the store. */
  #stored: number;
  #scheduled = false;
  /** Ends the wait of a batch of patient steps. */
  #disarm: Disarm | undefined;
  #closed = false;
  /** Called when the gathering batch has room again. */
  readonly #doors = new Set<() => void>();
  /** While a batch gathers or is written. */
  #busy: PromiseWithResolvers<void> | undefined;
  #flushBeganAt: number | undefined;
  #slowFlushAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#stored = options.durable;
    this.#gathering = new GatheredBatch(options.durable + 1);
  }

  /** The gathering batch takes no more steps for now. */
  get isFull(): boolean {
    return this.#gathering.waiters.length >= MAX_STEPS || this.#gathering.bytes >= MAX_BYTES;
  }

  /** When a flush was last seen to take longer than 2 s (real time). */
  get slowFlushAt(): number {
    this.#lookAtFlush();
    return this.#slowFlushAt;
  }

  /** When the last batch could not be stored, for no fault of its own (real time); long ago if it was. */
  get failedAt(): number {
    return this.#failedAt;
  }

  /**
   * Resolves when the gathering batch has room again, in the order of the calls; others may have taken it by then.
   *
   * @param hasTime waits for as long as it takes
   *
   * @throws ServiceError storage_busy after 10 s, unless it has time
   */
  room(hasTime = false): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { clock } = this.#options;
    const enter = () => {
      this.#doors.delete(enter);
      disarm?.();
      resolve();
    };
    const refuse = () => {
      this.#doors.delete(enter);
      reject(tooBusy());
    };
    const disarm = hasTime ? undefined : clock.wakeAt(clock.now() + ROOM_WAIT_MS, refuse);
    this.#doors.add(enter);
    return promise;
  }

  /**
   * Runs `step` now, and resolves with its value when what it rests on is durable. A step that throws changes nothing and
   * rejects alone, no sooner, for what it refused may rest on steps before it. To be called when there is room.
   *
   * @throws StoreClosedError after `close`; what the step throws; what `flush` throws
   */
  async run<T>(step: (step: Step) => Sync<T>): Promise<T> {
    if (this.#closed) throw new StoreClosedError("the service is stopping");
    const { journal, state } = this.#options;
    const taken = new Step(state, this.#gathering.batch);
    const { changes, effects } = taken;
    let value: T;
    try {
      value = step(taken);
    } catch (error) {
      takeBack({ effects, undos: journal.cut() });
      await this.durable();
      throw error;
    }
    this.#gathering.isPatient &&= taken.isPatient;
    this.#schedule();
    await this.#gathering.join({ changes, effects, undos: journal.cut() });
    return value;
  }

  /** Resolves when all that was changed so far is durable; rejects when that could not be stored. */
  async durable(): Promise<void> {
    const newest = this.#gathering.waiters.length > 0 ? this.#gathering : this.#flushing;
    await newest?.join(ONLOOKER);
  }

  /** Takes no more steps; resolves when those taken are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#openDoors();
    await this.#busy?.promise;
  }

  /** All steps of one turn share a batch, and patient ones wait for others. */
  #schedule(): void {
    if (this.#busy === undefined) {
      this.#busy = Promise.withResolvers();
      this.#options.busy(this.#busy.promise);
    }
    if (this.#scheduled || this.#flushing !== undefined) return;
    const { clock, gatherMs } = this.#options;
    if (gatherMs > 0 && this.#gathering.isPatient) {
      this.#disarm ??= clock.wakeAt(clock.now() + gatherMs, () => {
        this.#gathering.isPatient = false;
        this.#schedule();
      });
      return;
    }
    this.#disarm?.();
    this.#disarm = undefined;
    this.#scheduled = true;
    atEndOfTurn(() => {
      this.#scheduled = false;
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    const { state, lastSeq } = this.#options;
    const written = this.#gathering;
    this.#flushing = written;
    this.#gathering = new GatheredBatch(written.batch + 1);
    this.#openDoors();
    const contents = contentsOf(written.waiters, lastSeq(), (id) => state.jobs.endpoint(id).counts);
    let refused: readonly Waiter[] = [];
    let reason: unknown;
    try {
      await this.#flush(contents);
    } catch (error) {
      reason = error;
      const isOfData = error instanceof BatchRefusedError;
      if (!isOfData) this.#failedAt = this.#options.clock.now();
      refused = isOfData ? await this.#storeParts(written, contents) : written.waiters;
    }
    this.#settle(written, refused, reason);
    if (this.#gathering.waiters.length > 0) {
      this.#schedule();
      return;
    }
    this.#busy?.resolve();
    this.#busy = undefined;
  }

  async #flush(contents: Contents): Promise<void> {
    const { clock, flush, state } = this.#options;
    const { changes, jobs } = contents;
    if (changes.length + jobs.length === 0) return;
    const number = this.#stored + 1;
    this.#flushBeganAt = clock.now();
    try {
      await flush({ ...contents, number });
    } finally {
      this.#lookAtFlush();
      this.#flushBeganAt = undefined;
    }
    this.#stored = number;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    state.records.becameDurable(changes);
  }

  /** What was refused for its data is stored again without what is refused of it. Answers those who rest on that. */
  async #storeParts({ waiters }: GatheredBatch, whole: Contents): Promise<readonly Waiter[]> {
    const refused: Waiter[] = [];
    for (const part of independentParts(waiters)) {
      const countsOf = (id: string) => whole.counts.get(id) ?? NO_COUNTS;
      try {
        await this.#flush(contentsOf(part, whole.lastSeq, countsOf));
      } catch {
        refused.push(...part);
      }
    }
    return restingOn(refused, waiters);
  }

  #lookAtFlush(): void {
    const now = this.#options.clock.now();
    if (this.#flushBeganAt !== undefined && now - this.#flushBeganAt > SLOW_FLUSH_MS)
      this.#slowFlushAt = now;
  }

  #openDoors(): void {
    for (const enter of [...this.#doors]) enter();
  }

  /** Takes back what was refused, and what gathered meanwhile and rests on it; the rest is durable. */
  #settle(written: GatheredBatch, refused: readonly Waiter[], reason: unknown): void {
    this.#flushing = undefined;
    const { waiters, batch } = this.#gathering;
    const isAll = refused === written.waiters;
    const lost = new Set([...refused, ...(isAll ? waiters : restingOn(refused, waiters))]);
    for (const waiter of [...lost].toReversed()) takeBack(waiter);
    const rest = waiters.filter((waiter) => !lost.has(waiter));
    if (lost.size > 0) {
      this.#gathering = new GatheredBatch(batch, rest);
      this.#gathering.isPatient = false;
    }
    const durable = written.waiters.filter((waiter) => !lost.has(waiter));
    const { failed, release, state } = this.#options;
    if (!isAll) state.jobs.becameDurable(written.batch);
    release(durable.flatMap(({ effects }) => effects ?? []));
    for (const { resolve } of durable) resolve();
    if (lost.size === 0) return;
    failed([...lost].flatMap(({ effects }) => effects ?? []));
    for (const { reject } of lost) reject(reason);
    this.#openDoors();
  }
}

function takeBack({ effects, undos }: Pick<Waiter, "effects" | "undos">): void {
  effects?.takeBack();
  undoAll(undos);
}

function tooBusy(): ServiceError {
  return new ServiceError(
    "storage_busy",
    "the disk does not keep up with what is to be stored; nothing of this was stored",
    { retryAfterMs: ROOM_WAIT_MS },
  );
}
