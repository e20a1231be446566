/** The actions after steps. The parts that provide them are made after the runner of the steps. */
import type { Effects } from "./effects.ts";
import type { RecordChange } from "./state/record-book.ts";

export interface StepReleases {
  /** Releases the effects of durable steps. Called with the steps of a batch, in their order. */
  readonly release: (effects: readonly Effects[]) => void;
  /** Called with the effects of steps that were not stored. Their changes in memory were undone. */
  readonly failed: (effects: readonly Effects[]) => void;
  /**
   * Called when a batch was refused because another process has or had these partitions. Memory must forget the partitions,
   * unless it has loaded them again since the batch was written. `loads`: the count of loads at that time.
   */
  readonly lost: (partitions: ReadonlySet<number>, loads: number) => void;
  readonly learned: (changes: readonly RecordChange[]) => void;
  /** Called with each read. */
  readonly track: (what: string, work: Promise<unknown>) => void;
}

/** Stands for the actions before they are set. */
export const NO_RELEASES: StepReleases = {
  release: () => undefined,
  failed: () => undefined,
  lost: () => undefined,
  learned: () => undefined,
  track: () => undefined,
};
