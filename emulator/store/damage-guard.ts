/** Stops all work of a store after damage was found, so that the damage does not spread. */
import { StoreDamagedError } from "../core/store-error.ts";

export class DamageGuard {
  /** Undefined until damage is found. */
  damage: StoreDamagedError | undefined;
  readonly #onDamage: ((damage: StoreDamagedError) => void) | undefined;

  constructor(onDamage?: (damage: StoreDamagedError) => void) {
    this.#onDamage = onDamage;
  }

  /** Does the work, unless damage was found before, and notes damage that the work throws. @throws StoreDamagedError */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.damage) throw this.damage;
    try {
      return await work();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  note(error: unknown): void {
    if (error instanceof StoreDamagedError) this.report(error);
  }

  report(damage: StoreDamagedError): void {
    if (this.damage) return;
    this.damage = damage;
    this.#onDamage?.(damage);
  }
}
