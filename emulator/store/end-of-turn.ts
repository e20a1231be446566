/** The end of a turn of the event loop: all that it asked for becomes durable together, and long work gives way to the next. */

export const atEndOfTurn: (go: () => void) => void = setImmediate;
