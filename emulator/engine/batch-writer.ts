/**
 * Runs steps on memory and makes what they changed durable, batch by batch: while one is written the next one gathers. Nobody
 * is answered before the batch is in the store, and what cannot be stored is taken back from memory: all of a batch for which
 * there is no room, or what a batch that is refused for its data has of the endpoints whose data that is.
 */
import { StoreClosedError } from "../core/store-error.ts";
import { NO_COUNTS } from "../core/jobs/job-counts.ts";
import type { Clock, Disarm } from "../core/time/clock.ts";
import type { Batch } from "../store/batch.ts";
import { atEndOfTurn } from "../store/end-of-turn.ts";
import type { ChangedRecords } from "../store/ownership.ts";
import { BatchRefusedError, PartsLostError, RecordsMovedError } from "../store/store.ts";
import type { Journal } from "../core/journal.ts";
import { Doors } from "./doors.ts";
import { FlushWatch } from "./flush-watch.ts";
import { GatheredBatch, ONLOOKER, type Waiter } from "./gathered-batch.ts";
import { allRefused, type Failure, type Refused, takeBack } from "./refused-steps.ts";
import type { StepReleases } from "./step-releases.ts";
import { isMoved } from "./ownership/endpoint-moved.ts";
import { Step, type StepState } from "./step.ts";
import {
  changesRecords,
  concerns,
  type Contents,
  contentsOf,
  independentParts,
} from "./step-changes.ts";

/** A gathering batch takes no more than so many steps, and so many bytes that lie in no file. */
const MAX_STEPS = 1_024;
const MAX_BYTES = 8_000_000;

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
  readonly releases: () => StepReleases;
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
  readonly #doors: Doors;
  /** Steps that are being written and rest on what memory has forgotten: they must not be stored any more. */
  readonly #outdated = new Set<Waiter>();
  /** What others changed while a batch with changes of records was written. */
  #changedElsewhere: ChangedRecords[] = [];
  /** While a batch gathers or is written. */
  #busy: PromiseWithResolvers<void> | undefined;
  readonly #flushes: FlushWatch;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#stored = options.durable;
    this.#doors = new Doors(options.clock);
    this.#flushes = new FlushWatch(options.clock);
    this.#gathering = new GatheredBatch(options.durable + 1);
  }

  /** The gathering batch takes no more steps for now. */
  get isFull(): boolean {
    return this.#gathering.waiters.length >= MAX_STEPS || this.#gathering.bytes >= MAX_BYTES;
  }

  /** When a flush was last seen to take longer than 2 s (real time). */
  get slowFlushAt(): number {
    return this.#flushes.slowAt;
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
    return this.#doors.wait(hasTime);
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
      // That rests on nothing here.
      if (!isMoved(error)) await this.durable();
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

  /** Parts are not held any more: steps on them that are not being written are refused, and memory forgets them. */
  forgetMoved(parts: ReadonlySet<number>): void {
    const { jobs } = this.#options.state;
    const hasMoved = (step: Waiter) => concerns(step, (endpointId) => !jobs.holds(endpointId));
    for (const step of this.#flushing?.waiters ?? []) if (hasMoved(step)) this.#outdated.add(step);
    this.#refuseGathering(hasMoved, new PartsLostError(parts));
    jobs.forgetMoved();
  }

  /** Others changed records: steps that rest on those before are refused. */
  recordsChanged(changed: ChangedRecords): void {
    this.#changedElsewhere.push(changed);
    if (!this.#flushing?.waiters.some(changesRecords)) this.#learn();
  }

  /** What others changed is not known to steps yet: it is when what is being written is stored. */
  get isBehindOthers(): boolean {
    return this.#changedElsewhere.length > 0;
  }

  /** Takes no more steps; resolves when those taken are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#doors.open();
    await this.#busy?.promise;
  }

  /** All steps of one turn share a batch, and patient ones wait for others. */
  #schedule(): void {
    if (this.#busy === undefined) {
      this.#busy = Promise.withResolvers();
      this.#options.releases().track("storing", this.#busy.promise);
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
    const { releases, state, lastSeq } = this.#options;
    const written = this.#gathering;
    this.#flushing = written;
    this.#gathering = new GatheredBatch(written.batch + 1);
    this.#doors.open();
    const { loads } = state.jobs;
    const contents = contentsOf(written.waiters, lastSeq(), (id) => state.jobs.endpoint(id).counts);
    let failure: Failure | undefined;
    try {
      await this.#flush(contents);
    } catch (reason) {
      if (reason instanceof PartsLostError) releases().lost(reason.parts, loads);
      const isOfData = reason instanceof BatchRefusedError;
      if (!isOfData) this.#failedAt = this.#options.clock.now();
      const refused = isOfData ? await this.#storeParts(written, contents, reason) : undefined;
      failure = { reason, refused };
    }
    this.#settle(written, failure);
    this.#outdated.clear();
    if (this.#gathering.waiters.length > 0) {
      this.#schedule();
      return;
    }
    this.#busy?.resolve();
    this.#busy = undefined;
  }

  async #flush(contents: Contents): Promise<void> {
    const { flush, state } = this.#options;
    const { changes, jobs } = contents;
    if (changes.length + jobs.length === 0) return;
    const number = this.#stored + 1;
    const { version: recordsVersion } = state.records;
    const rests = changesRecords(contents) && { recordsVersion };
    await this.#flushes.watch(() => flush({ ...contents, ...rests, number }));
    this.#stored = number;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    state.records.becameDurable(changes);
  }

  /** What was refused for its data is stored again without what is refused of it. Answers those who rest on that. */
  async #storeParts(
    { waiters }: GatheredBatch,
    whole: Contents,
    reason: BatchRefusedError,
  ): Promise<Refused> {
    const refused = new Map<Waiter, unknown>();
    for (const part of independentParts(waiters)) {
      const countsOf = (id: string) => whole.counts.get(id) ?? NO_COUNTS;
      try {
        if (part.some((step) => this.#isOutdated(step, reason))) throw reason;
        await this.#flush(contentsOf(part, whole.lastSeq, countsOf));
      } catch (error) {
        for (const step of part) refused.set(step, error);
      }
    }
    return refused;
  }

  /** The store would refuse it again, for what another process has done. */
  #isOutdated(step: Waiter, reason: BatchRefusedError): boolean {
    if (this.#outdated.has(step)) return true;
    return reason instanceof RecordsMovedError && changesRecords(step);
  }

  /** Takes back what was refused, and what gathered meanwhile and rests on it; the rest is durable. */
  #settle({ batch, waiters }: GatheredBatch, failure: Failure | undefined): void {
    this.#flushing = undefined;
    const { releases, state } = this.#options;
    const refused = failure && allRefused(failure, [...waiters, ...this.#gathering.waiters]);
    const durable = refused ? waiters.filter((waiter) => !refused.has(waiter)) : waiters;
    if (refused) this.#takeBack(refused);
    if (failure === undefined || failure.refused) state.jobs.becameDurable(batch);
    releases().release(durable.flatMap(({ effects }) => effects ?? []));
    for (const { resolve } of durable) resolve();
    if (refused) this.#reject(refused);
    this.#learn();
  }

  #takeBack(refused: Refused): void {
    for (const step of [...refused.keys()].toReversed()) takeBack(step);
    const { batch, waiters } = this.#gathering;
    const rest = waiters.filter((waiter) => !refused.has(waiter));
    this.#gathering = new GatheredBatch(batch, rest);
    this.#gathering.isPatient = false;
  }

  #reject(refused: Refused): void {
    this.#options.releases().failed([...refused.keys()].flatMap(({ effects }) => effects ?? []));
    for (const [{ reject }, reason] of refused) reject(reason);
    this.#doors.open();
  }

  #refuseGathering(isMeant: (step: Waiter) => boolean, reason: BatchRefusedError): void {
    const { waiters } = this.#gathering;
    const meant = waiters.filter(isMeant).map((step) => [step, reason] as const);
    const refused = allRefused({ reason, refused: new Map(meant) }, waiters);
    if (refused.size === 0) return;
    this.#takeBack(refused);
    this.#reject(refused);
  }

  #learn(): void {
    const { releases, state } = this.#options;
    for (const changed of this.#changedElsewhere.splice(0)) {
      if (changed.version <= state.records.version) continue;
      this.#refuseGathering(changesRecords, new RecordsMovedError());
      releases().learned(state.records.learn(changed));
    }
  }
}
