/** The actions after steps. They belong to parts that are made after the runner of the steps. */
import type { Effects } from "./effects.ts";
import type { RecordChange } from "./state/record-book.ts";

export interface StepReleases {
  /** Does what durable steps asked for. Called with the steps of a batch, in their order. */
  readonly release: (effects: readonly Effects[]) => void;
  /** Called with the effects of steps that were not stored. Their changes of memory were taken back. */
  readonly failed: (effects: readonly Effects[]) => void;
  /**
   * Called when a batch was refused because another process has or had these partitions. Memory must forget the partitions,
   * unless it has loaded them again since the batch was written. The number counts the loads up to then.
   */
  readonly lost: (partitions: ReadonlySet<number>, loads: number) => void;
  /** Called with what is another since other processes changed records. */
  readonly learned: (changes: readonly RecordChange[]) => void;
  /** Called with each read. */
  readonly track: (what: string, work: Promise<unknown>) => void;
}

/** Nobody has asked for anything yet. */
export const NO_RELEASES: StepReleases = {
  release: () => undefined,
  failed: () => undefined,
  lost: () => undefined,
  learned: () => undefined,
  track: () => undefined,
};
