/** Turns of the event loop for long work: one piece per turn, so that other work is done between them. */
import { atEndOfTurn } from "../../store/end-of-turn.ts";

const waiting: (() => void)[] = [];

/** Resolves in a coming turn of the event loop in which no other caller is resolved, in the order of the calls. */
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
