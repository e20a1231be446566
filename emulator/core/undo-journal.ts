/** Undoes changes of memory, newest first, after a step was refused. */

export type Undo = () => void;

export class Journal {
  #undos: Undo[] = [];

  /** Notes how to undo the change that was just made. `undo` must not throw. */
  note(undo: Undo): void {
    this.#undos.push(undo);
  }

  undoTo(length: number): void {
    while (this.#undos.length > length) this.#undos.pop()?.();
  }

  /** Returns everything noted since the last cut, for `undoAll` or to be dropped. */
  cut(): readonly Undo[] {
    const undos = this.#undos;
    this.#undos = [];
    return undos;
  }
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
