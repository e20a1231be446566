/** Undoes changes of memory, newest first, after a step was refused. */

/** Must not throw. */
export type Undo = () => void;

export class Journal {
  /** The undo functions of the running step, oldest first. */
  undos: Undo[] = [];

  /** Sets an entry of a map, or deletes it if `value` is undefined. */
  set<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const before = map.get(key);
    assign(map, key, value);
    this.undos.push(() => assign(map, key, before));
  }
}

function assign<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
