/** A signal that one part of the engine raises and parts that are made later listen to. */

export class Signal<T = void> {
  readonly #listeners: ((value: T) => void)[] = [];

  /** Calls `listener` with each value that is raised from now on. */
  on(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }

  /** Bound to the signal, so that it can be passed on alone. */
  readonly raise = (value: T): void => {
    for (const listener of this.#listeners) listener(value);
  };
}
