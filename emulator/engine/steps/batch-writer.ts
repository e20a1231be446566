/**
 * Runs steps on memory, and makes their changes durable batch by batch. While one batch is written, the next one gathers. No
 * step is answered before its batch is in the store. A failed change is undone in memory. If the store is full, the whole batch
 * is undone; if the store refuses data, only the steps with that data and the steps that rest on them.
 */
import { StoreClosedError } from "../../core/store-error.ts";
import { forEachGuarded, type OnDefect } from "../../core/guarded.ts";
import type { Disarm } from "../../core/time/clock.ts";
import { atEndOfTurn } from "../../store/end-of-turn.ts";
import type { ChangedRecords } from "../../store/ownership.ts";
import {
  type BatchRefusedError,
  PartitionsLostError,
  RecordsMovedError,
} from "../../store/store.ts";
import { type Journal, type Undo, undoAll } from "../../core/undo-journal.ts";
import { BatchFlusher, type BatchFlusherOptions } from "./batch-flusher.ts";
import { BatchRoom } from "./batch-room.ts";
import { effectsOf, GatheredBatch, type Waiter } from "./gathered-batch.ts";
import { allRefused, type Failure, type Refused } from "./refused-steps.ts";
import { NO_RELEASES, type StepReleases } from "./step-releases.ts";
import { isMoved } from "./state/endpoint-moved.ts";
import { Step } from "./step.ts";
import { changesRecords, concerns } from "./step-changes.ts";

/** Maximum number of steps of a batch, and of payload bytes outside files. A batch that reaches one takes no more steps. */
const MAX_STEPS = 1_024;
const MAX_BYTES = 8_000_000;

export interface BatchWriterOptions extends BatchFlusherOptions {
  readonly journal: Journal;
  /** The patience of onlookers, and the unit of that of steps, ms of real time. */
  readonly gatherMs: number;
  readonly releases: () => StepReleases;
  /** Called with errors of releases and undos. */
  readonly onDefect: OnDefect;
}

/** A step must not be asynchronous. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T;

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly flusher: BatchFlusher;
  /** The steps that wait for room. Others may have taken it when the wait of a step is over. */
  readonly room: BatchRoom;
  #gathering: GatheredBatch;
  #flushing: GatheredBatch | undefined;
  #scheduled = false;
  /** Whether a step is running. */
  #isDeciding = false;
  /** Whether another step began within the running one. */
  #isNested = false;
  /** Ends the wait of a batch of patient steps, and when it will (real time). */
  #wait: { readonly until: number; readonly disarm: Disarm } | undefined;
  #closed = false;
  /** Changes by other processes that arrived while a batch with changed records was being written. */
  #changedElsewhere: ChangedRecords[] = [];
  /** Settles when no batch gathers or is being written; undefined while none does. */
  #busy: PromiseWithResolvers<void> | undefined;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.room = new BatchRoom(options.clock);
    this.flusher = new BatchFlusher(options, (partitions, loads) =>
      this.#tell((releases) => releases.lost(partitions, loads)),
    );
    this.#gathering = new GatheredBatch(options.durable + 1);
  }

  /** Whether the gathering batch takes no more steps for now. */
  get isFull(): boolean {
    return this.#gathering.stepCount >= MAX_STEPS || this.#gathering.bytes >= MAX_BYTES;
  }

  /**
   * Runs `step` now. Resolves with its value when its changes and the changes it rests on are durable. A step that throws
   * changes nothing, and rejects once earlier steps are durable, because its refusal may rest on them. Call it when there is
   * room.
   *
   * @throws StoreClosedError after `close`; what the step throws; what `flush` throws
   */
  async run<T>(step: (step: Step) => Sync<T>): Promise<T> {
    if (this.#closed) throw new StoreClosedError("the service is stopping");
    if (this.#isDeciding) this.refuseNested();
    const { journal, state } = this.#options;
    const undos: Undo[] = [];
    journal.undos = undos;
    const taken = new Step(state, this.#gathering.batch, undos);
    const { changes, effects, looked } = taken;
    let value: T;
    try {
      value = this.#decide(step, taken);
    } catch (error) {
      undoAll(undos);
      // A refusal of a moved endpoint does not depend on memory.
      if (!isMoved(error)) await this.#newest?.look(looked);
      throw error;
    }
    this.#gatherFor(taken.patience);
    await this.#gathering.join({ changes, effects, looked, undos });
    return value;
  }

  /** Call this before a step begins. @throws Error if another step is running; that step is refused too */
  refuseNested(): void {
    if (!this.#isDeciding) return;
    this.#isNested = true;
    throw new Error("a step began within another one");
  }

  /** Resolves when all changes so far are durable; rejects if they could not be stored. */
  async durable(): Promise<void> {
    if (this.#gathering.waiters.length > 0) this.#gatherFor(1);
    await this.#newest?.look();
  }

  /** Forgets partitions that are no longer held, and refuses steps on them unless they are being written. */
  forgetMoved(partitions: ReadonlySet<number>): void {
    const { jobs } = this.#options.state;
    const hasMoved = (step: Waiter) => concerns(step, (endpointId) => !jobs.holds(endpointId));
    const { outdated } = this.flusher;
    for (const step of this.#flushing?.waiters ?? []) if (hasMoved(step)) outdated.add(step);
    this.#refuseGathering(hasMoved, new PartitionsLostError(partitions));
    jobs.forgetMoved();
  }

  /** Takes in changed records of other processes. Steps that rest on the old records are refused. */
  recordsChanged(changed: ChangedRecords): void {
    this.#changedElsewhere.push(changed);
    if (!this.#flushing?.waiters.some(changesRecords)) this.#learn();
  }

  /** Resolves when no batch gathers or is written any more. Undefined while none does. */
  get storing(): Promise<void> | undefined {
    return this.#busy?.promise;
  }

  /** Whether steps do not know changes of other processes yet. They learn them once the running write is done. */
  get isBehindOthers(): boolean {
    return this.#flushing !== undefined && this.#changedElsewhere.length > 0;
  }

  /** Takes no more steps. Resolves when all accepted steps are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    this.room.open();
    await this.#busy?.promise;
  }

  /** The batch with the newest step that is not durable. */
  get #newest(): GatheredBatch | undefined {
    return this.#gathering.waiters.length > 0 ? this.#gathering : this.#flushing;
  }

  #decide<T>(step: (step: Step) => Sync<T>, taken: Step): Sync<T> {
    this.#isDeciding = true;
    this.#isNested = false;
    try {
      const value = step(taken);
      if (this.#isNested) throw new Error("a step began within this one");
      if (this.#options.releases() === NO_RELEASES && !taken.effects.isEmpty)
        throw new Error("a step has an effect before effects can be released");
      return value;
    } finally {
      this.#isDeciding = false;
    }
  }

  /** The gathering batch takes further steps for that time at most. */
  #gatherFor(patience: number): void {
    const { clock, gatherMs } = this.#options;
    const ms = patience * gatherMs;
    this.#gathering.gatherUntil(ms > 0 ? clock.now() + ms : 0);
    this.#schedule();
  }

  /** All steps of one turn share a batch, and patient ones wait for others. */
  #schedule(): void {
    this.#busy ??= Promise.withResolvers();
    if (this.#scheduled || this.#flushing !== undefined) return;
    const { writeBy } = this.#gathering;
    if (writeBy === this.#wait?.until) return;
    this.#wait?.disarm();
    this.#wait = undefined;
    if (writeBy > 0) {
      const disarm = this.#options.clock.wakeAt(writeBy, () => this.#gatherFor(0));
      this.#wait = { until: writeBy, disarm };
      return;
    }
    this.#scheduled = true;
    atEndOfTurn(() => {
      this.#scheduled = false;
      void this.#write();
    });
  }

  /** Never rejects. After any error every step of the batch is answered, and the next batch is written. */
  async #write(): Promise<void> {
    const written = this.#gathering;
    this.#flushing = written;
    this.#gathering = new GatheredBatch(written.batch + 1);
    if (this.room.waiting.size > 0) this.room.open();
    const failure = await this.flusher.store(written.waiters);
    this.#flushing = undefined;
    try {
      this.#settle(written, failure);
    } catch (defect) {
      this.#options.onDefect(defect);
      for (const { reject } of written.waiters) reject(defect);
    }
    if (this.#gathering.waiters.length > 0) {
      this.#schedule();
      return;
    }
    this.#busy?.resolve();
    this.#busy = undefined;
  }

  /** Undoes the refused steps, and the gathered steps that rest on them. All others are durable. */
  #settle({ batch, waiters }: GatheredBatch, failure: Failure | undefined): void {
    const { state } = this.#options;
    const refused = failure && allRefused(failure, [...waiters, ...this.#gathering.waiters]);
    const durable = refused ? waiters.filter((waiter) => !refused.has(waiter)) : waiters;
    if (refused) this.#takeBack(refused);
    if (failure === undefined || failure.refused) state.jobs.becameDurable(batch);
    const effects = effectsOf(durable);
    this.#tell((releases) => releases.release(effects));
    for (const { resolve } of durable) resolve();
    if (refused) this.#reject(refused);
    if (this.#changedElsewhere.length > 0) this.#learn();
  }

  #takeBack(refused: Refused): void {
    const newestFirst = [...refused.keys()].toReversed();
    forEachGuarded(newestFirst, this.#options.onDefect, ({ undos }) => undoAll(undos));
    const { batch, waiters } = this.#gathering;
    const rest = waiters.filter((waiter) => !refused.has(waiter));
    this.#gathering = new GatheredBatch(batch, rest);
    this.#gathering.gatherUntil(0);
  }

  #reject(refused: Refused): void {
    const effects = effectsOf([...refused.keys()]);
    this.#tell((releases) => releases.failed(effects));
    for (const [{ reject }, reason] of refused) reject(reason);
    this.room.open();
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
    const { onDefect, state } = this.#options;
    forEachGuarded(this.#changedElsewhere.splice(0), onDefect, (changed) => {
      if (changed.version <= state.records.version) return;
      this.#refuseGathering(changesRecords, new RecordsMovedError());
      const learned = state.records.learn(changed);
      this.#tell((releases) => releases.learned(learned));
    });
  }

  /** Tells the listeners. Their errors have no effect here. */
  #tell(tell: (releases: StepReleases) => void): void {
    try {
      tell(this.#options.releases());
    } catch (error) {
      this.#options.onDefect(error);
    }
  }
}
