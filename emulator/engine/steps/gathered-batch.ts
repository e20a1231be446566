/** The steps of one batch, and the onlookers that read their changes. */
import type { Undo } from "../../core/undo-journal.ts";
import type { Effects } from "./effects.ts";
import { ANYWHERE, bytesOf, type Changer } from "./step-changes.ts";

/** A step, or an onlooker that read changes of the batch. Both wait until the batch is stored. */
export interface Waiter extends Changer {
  /** Undefined for an onlooker. */
  readonly effects?: Effects;
  readonly undos: readonly Undo[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class GatheredBatch {
  /**
   * The number of the batch. The store counts differently: a batch in several parts has several numbers there, and a failed one
   * has none.
   */
  readonly batch: number;
  readonly waiters: Waiter[];
  /** The steps among the waiters. */
  stepCount = 0;
  /** Total size of the payloads outside files, bytes. */
  bytes = 0;
  /** When it is written at the latest (real time): the earliest end of a step's patience. */
  writeBy = Number.POSITIVE_INFINITY;
  /** The wait shared by all onlookers since the newest step. */
  #look: Promise<void> | undefined;

  constructor(batch: number, waiters: Waiter[] = []) {
    this.batch = batch;
    this.waiters = waiters;
    for (const waiter of waiters) {
      if (waiter.effects) this.stepCount += 1;
      this.bytes += bytesOf(waiter);
    }
  }

  /** It takes steps until that moment at the latest (real time); 0: until the end of this turn. */
  gatherUntil(moment: number): void {
    this.writeBy = Math.min(this.writeBy, moment);
  }

  join(step: Pick<Waiter, "changes" | "looked" | "undos"> & { readonly effects: Effects }) {
    this.stepCount += 1;
    this.bytes += bytesOf(step);
    this.#look = undefined;
    return this.#wait(step);
  }

  /** Resolves when the steps that changed these places are stored. Default: all places. */
  look(looked?: Changer["looked"]): Promise<void> {
    if (looked) return this.#wait({ changes: [], looked, undos: [] });
    // Onlookers between the same two steps share one wait, so there are never more waits than steps.
    this.#look ??= this.#wait({ changes: [], looked: [ANYWHERE], undos: [] });
    return this.#look;
  }

  #wait(who: Omit<Waiter, "resolve" | "reject">): Promise<void> {
    return new Promise((resolve, reject) => this.waiters.push({ ...who, resolve, reject }));
  }
}

export function effectsOf(steps: readonly Waiter[]): readonly Effects[] {
  return steps.flatMap(({ effects }) => effects ?? []);
}
