/** Undoes changes of memory, newest first, after a step was refused. */

/** Must not throw. */
export type Undo = () => void;

export class Journal {
  /** The undo functions of the running step, oldest first. */
  undos: Undo[] = [];
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
