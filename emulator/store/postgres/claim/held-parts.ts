/** The parts that this process has by what it knows, each with the epoch that a batch about it is fenced by. */
import { ALL_PARTS } from "./parts.ts";

export class HeldParts {
  /** Told of parts that were lost, whose epochs are gone by then; must not throw. */
  onLost: (parts: ReadonlySet<number>) => void = () => undefined;
  readonly #epochs = new Map<number, number>();
  /** Those that are being given away: their batches are stored still. */
  readonly #leaving = new Set<number>();

  has(part: number): boolean {
    return this.#epochs.has(part);
  }

  /** Whether it is held and stays so. */
  keeps(part: number): boolean {
    return this.#epochs.has(part) && !this.#leaving.has(part);
  }

  /** Those that are held and stay so. */
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

  /** Answers those that were held until now, with their epochs. */
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
