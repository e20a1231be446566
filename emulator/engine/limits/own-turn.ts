/** Turns of the event loop for long work: one piece per turn, so that other work is done between them. */
import { atEndOfTurn } from "../../store/end-of-turn.ts";

const waiting: (() => void)[] = [];

/** Resolves callers in order, one in each turn of the event loop. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) atEndOfTurn(begin);
  });
}

function begin(): void {
  waiting.shift()?.();
  if (waiting.length > 0) atEndOfTurn(begin);
}
