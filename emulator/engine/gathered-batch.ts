/** The steps that make one batch, and who looked at what they changed. */
import type { Undo } from "../core/journal.ts";
import type { Effects } from "./effects.ts";
import { bytesOf, type Changer } from "./step-changes.ts";

/** A step that waits for its batch, or somebody who looked at what is in it. */
export interface Waiter extends Changer {
  readonly effects?: Effects;
  readonly undos: readonly Undo[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export const ONLOOKER = { changes: [], undos: [] };

export class GatheredBatch {
  /** Counts the batches. One that is stored in parts has more numbers in the store than one, and one that is not has none. */
  readonly batch: number;
  readonly waiters: Waiter[];
  /** How much of payloads is in it that lies in no file. */
  bytes = 0;
  /** True while all its steps are patient. */
  isPatient = true;

  constructor(batch: number, waiters: Waiter[] = []) {
    this.batch = batch;
    this.waiters = waiters;
    for (const waiter of waiters) this.bytes += bytesOf(waiter);
  }

  join(who: Pick<Waiter, "changes" | "effects" | "undos">): Promise<void> {
    this.bytes += bytesOf(who);
    return new Promise((resolve, reject) => this.waiters.push({ ...who, resolve, reject }));
  }
}
