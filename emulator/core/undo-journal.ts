/** Undoes changes of memory, newest first, after a step was refused. */

/** Must not throw. */
export type Undo = () => void;

export class Journal {
  /** What undoes the changes of the step that runs, oldest first. */
  undos: Undo[] = [];
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
