/** When a batch is closed: all that a turn of the event loop asks for becomes durable together. */

export function atEndOfTurn(go: () => void): void {
  setImmediate(go);
}
