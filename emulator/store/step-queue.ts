/** Runs steps strictly one after another; all that were asked for in one turn of the event loop form a batch with one commit. */
import { StoreClosedError } from "../core/store-error.ts";

/** What an adapter does around the steps of a batch. Any of these that throws makes the whole batch fail. */
export interface StepTarget<Tx> {
  beginStep(): Tx;
  /** Keeps what the step changed, until `commit` makes it last or `abort` undoes it. */
  keepStep(tx: Tx): void;
  undoStep(tx: Tx): void;
  /** Makes the kept steps durable. */
  commit(steps: number): void;
  /** Undoes every step since the last commit. Must not throw. */
  abort(): void;
}

interface QueuedStep<Tx> {
  /** Resolves with what is to be done once the batch is durable: answer the caller. */
  readonly run: (tx: Tx) => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/** So that one burst does not hold up the event loop for long; steps beyond it form the next batch. */
const MAX_STEPS_PER_BATCH = 1_024;

export class StepQueue<Tx> {
  readonly #target: StepTarget<Tx>;
  readonly #drained: (() => void)[] = [];
  #waiting: QueuedStep<Tx>[] = [];
  #running: Promise<void> | undefined;
  #scheduled = false;
  #closed = false;

  constructor(target: StepTarget<Tx>) {
    this.#target = target;
  }

  /** The batch that runs now, to be waited for by whoever must not see its unfinished work. It never rejects. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Resolves once the step is durable. A step that throws is answered after the commit as well: what it refused may
   * rest on an earlier step of the batch.
   */
  transact<T>(step: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(storeClosed());
    return new Promise<T>((resolve, reject) => {
      const run = async (tx: Tx) => {
        const value = await step(tx);
        return () => resolve(value);
      };
      this.#waiting.push({ run, reject });
      this.#schedule();
    });
  }

  /** Takes no more steps; resolves when those already asked for have been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#waiting.length === 0 && this.#running === undefined) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#running !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#running = this.#runBatch();
    });
  }

  async #runBatch(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = batch.length > MAX_STEPS_PER_BATCH ? batch.splice(MAX_STEPS_PER_BATCH) : [];
    const answers: (() => void)[] = [];
    try {
      for (const queued of batch) answers.push(await this.#runStep(queued));
      this.#target.commit(batch.length);
      for (const answer of answers) answer();
    } catch (error) {
      this.#target.abort();
      for (const queued of batch) queued.reject(error);
    }
    this.#running = undefined;
    if (this.#waiting.length > 0) this.#schedule();
    else for (const resolve of this.#drained.splice(0)) resolve();
  }

  async #runStep(queued: QueuedStep<Tx>): Promise<() => void> {
    const tx = this.#target.beginStep();
    let answer: () => void;
    try {
      answer = await queued.run(tx);
    } catch (error) {
      this.#target.undoStep(tx);
      return () => queued.reject(error);
    }
    this.#target.keepStep(tx);
    return answer;
  }
}

export function storeClosed(): StoreClosedError {
  return new StoreClosedError("the store has been closed");
}
