/** What is to be done about steps, by those who are made after what runs them. */
import type { Effects } from "./effects.ts";
import type { RecordChange } from "./state/record-book.ts";

export interface StepReleases {
  /** Does what steps asked for. Called with the steps of a batch, in their order, once it is durable. */
  readonly release: (effects: readonly Effects[]) => void;
  /** Called with the effects of steps that were not stored, whose changes of memory were taken back. */
  readonly failed: (effects: readonly Effects[]) => void;
  /**
   * Called when a batch was refused because another process has, or had, these partitions: memory has to forget those that it has not
   * loaded anew since, which it had done so many times when the batch was written.
   */
  readonly lost: (partitions: ReadonlySet<number>, loads: number) => void;
  /** Called with what is another since other processes changed records. */
  readonly learned: (changes: readonly RecordChange[]) => void;
  /** Called with what is under way: things to be stored, and reads. */
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
