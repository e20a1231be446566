/** The partitions that this process believes to hold, each with the epoch that fences its batches. */
import { ALL_PARTITIONS } from "./partitions.ts";

export class HeldPartitions {
  /** Called with lost partitions, after their epochs are removed. Must not throw. */
  onLost: (partitions: ReadonlySet<number>) => void = () => undefined;
  readonly #epochs = new Map<number, number>();
  /** Partitions that are being released. Their batches are still stored. */
  readonly #leaving = new Set<number>();

  has(partition: number): boolean {
    return this.#epochs.has(partition);
  }

  keeps(partition: number): boolean {
    return this.#epochs.has(partition) && !this.#leaving.has(partition);
  }

  get kept(): readonly number[] {
    return ALL_PARTITIONS.filter((partition) => this.keeps(partition));
  }

  get all(): readonly number[] {
    return ALL_PARTITIONS.filter((partition) => this.has(partition));
  }

  get isLeaving(): boolean {
    return this.#leaving.size > 0;
  }

  epochOf(partition: number): number | undefined {
    return this.#epochs.get(partition);
  }

  hold(epochs: ReadonlyMap<number, number>): void {
    for (const [partition, epoch] of epochs) this.#epochs.set(partition, epoch);
  }

  leave(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#leaving.add(partition);
  }

  /** Returns those of the partitions that were held until now, with their epochs. */
  drop(partitions: Iterable<number>): ReadonlyMap<number, number> {
    const dropped = new Map<number, number>();
    for (const partition of partitions) {
      const epoch = this.#epochs.get(partition);
      if (epoch !== undefined) dropped.set(partition, epoch);
      this.#epochs.delete(partition);
      this.#leaving.delete(partition);
    }
    return dropped;
  }

  lose(partitions: Iterable<number>): void {
    const lost = this.drop(partitions);
    if (lost.size > 0) this.onLost(new Set(lost.keys()));
  }
}
