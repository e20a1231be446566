/** The end of a turn of the event loop: all its changes become durable together, and long work gives way to the next turn. */

export const atEndOfTurn: (go: () => void) => void = setImmediate;
