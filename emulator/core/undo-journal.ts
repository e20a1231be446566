/** Takes back changes of memory, newest first: those of a step that was refused. */

export type Undo = () => void;

export class Journal {
  #undos: Undo[] = [];

  /** `undo` takes back what the caller just changed; it must not throw. */
  note(undo: Undo): void {
    this.#undos.push(undo);
  }

  undoTo(length: number): void {
    while (this.#undos.length > length) this.#undos.pop()?.();
  }

  /** Hands over all that was noted since the last cut, to be undone by `undoAll` or forgotten. */
  cut(): readonly Undo[] {
    const undos = this.#undos;
    this.#undos = [];
    return undos;
  }
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
