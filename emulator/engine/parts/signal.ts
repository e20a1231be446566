/** A signal that one part of the engine raises and parts that are made later listen to. */
import { guarded, type OnDefect } from "../../core/guarded.ts";

export class Signal<T = void> {
  readonly #onDefect: OnDefect;
  readonly #listeners: ((value: T) => void)[] = [];

  constructor(onDefect: OnDefect) {
    this.#onDefect = onDefect;
  }

  /** Calls `listener` with each value that is raised from now on, after the listeners before it. */
  on(listener: (value: T) => void): void {
    this.#listeners.push(guarded(listener, this.#onDefect));
  }

  /** Bound to the signal, so that it can be passed on alone. */
  readonly raise = (value: T): void => {
    for (const listener of this.#listeners) listener(value);
  };
}
