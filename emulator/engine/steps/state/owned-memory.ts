/** The memory of steps on a shared store: this process gains and loses partitions, and other processes change records. */
import type { ChangedRecords, Gain } from "../../../store/ownership.ts";
import type { BatchWriter } from "../batch-writer.ts";
import type { JobMemory } from "./job-memory.ts";
import type { OwnedPartitions } from "./owned-partitions.ts";

export interface OwnedMemoryParts {
  readonly ownership: OwnedPartitions;
  readonly jobs: JobMemory;
  readonly writer: BatchWriter;
}

export class OwnedMemory {
  readonly #parts: OwnedMemoryParts;

  constructor(parts: OwnedMemoryParts) {
    this.#parts = parts;
  }

  /** Loads these partitions from the store: this process holds them from now on. */
  gain({ partitions, counts, running, lastSeq }: Gain): void {
    const { jobs, ownership } = this.#parts;
    this.forget(partitions);
    ownership.gained(partitions, jobs.loads + 1);
    ownership.lastKey = Math.max(ownership.lastKey, lastSeq);
    jobs.load(counts, running);
  }

  /** Gives up these partitions: steps on them are refused unless they are being stored. */
  forget(partitions: ReadonlySet<number>): void {
    const { ownership, writer } = this.#parts;
    ownership.forget(partitions);
    writer.forgetMoved(partitions);
  }

  /** Takes in the changes of other processes: at once, or after the batch that is being stored. */
  recordsChanged(changed: ChangedRecords): void {
    this.#parts.writer.recordsChanged(changed);
  }

  /** Resolves when memory has all changes that other processes made before the call. Throws the errors of the store. */
  async refreshRecords(): Promise<void> {
    const { ownership, writer } = this.#parts;
    await ownership.refreshRecords();
    while (writer.isBehindOthers) await writer.durable().catch(() => undefined);
  }
}
