/** A signal between parts of the engine: one part raises it, parts that were made later listen. */

export class Signal<T = void> {
  readonly #listeners: ((value: T) => void)[] = [];

  /** Calls `listener` with every value that is raised from now on. */
  on(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }

  /** Can be handed on without its signal. */
  readonly raise = (value: T): void => {
    for (const listener of this.#listeners) listener(value);
  };
}
