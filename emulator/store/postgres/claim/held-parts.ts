/** The partitions that this process holds as far as it knows, each with the epoch that fences its batches. */
import { ALL_PARTS } from "./parts.ts";

export class HeldParts {
  /** Called with lost partitions, after their epochs are removed; must not throw. */
  onLost: (parts: ReadonlySet<number>) => void = () => undefined;
  readonly #epochs = new Map<number, number>();
  /** Partitions that are being released: their batches are still stored. */
  readonly #leaving = new Set<number>();

  has(part: number): boolean {
    return this.#epochs.has(part);
  }

  /** Whether the partition is held and is not being released. */
  keeps(part: number): boolean {
    return this.#epochs.has(part) && !this.#leaving.has(part);
  }

  /** Held partitions that are not being released. */
  get kept(): readonly number[] {
    return ALL_PARTS.filter((part) => this.keeps(part));
  }

  get all(): readonly number[] {
    return ALL_PARTS.filter((part) => this.has(part));
  }

  get isLeaving(): boolean {
    return this.#leaving.size > 0;
  }

  epochOf(part: number): number | undefined {
    return this.#epochs.get(part);
  }

  hold(epochs: ReadonlyMap<number, number>): void {
    for (const [part, epoch] of epochs) this.#epochs.set(part, epoch);
  }

  leave(parts: Iterable<number>): void {
    for (const part of parts) this.#leaving.add(part);
  }

  /** Answers the partitions that were held until now, with their epochs. */
  drop(parts: Iterable<number>): ReadonlyMap<number, number> {
    const dropped = new Map<number, number>();
    for (const part of parts) {
      const epoch = this.#epochs.get(part);
      if (epoch !== undefined) dropped.set(part, epoch);
      this.#epochs.delete(part);
      this.#leaving.delete(part);
    }
    return dropped;
  }

  lose(parts: Iterable<number>): void {
    const lost = this.drop(parts);
    if (lost.size > 0) this.onLost(new Set(lost.keys()));
  }
}
