/** Runs a function after this turn of the event loop, to store the changes of a turn together, or to let other work run. */

export const atEndOfTurn: (go: () => void) => void = setImmediate;
