/** Turns of the event loop for what takes long: one piece of it in each, so that all others are served between them. */
import { atEndOfTurn } from "../../store/end-of-turn.ts";

const waiting: (() => void)[] = [];

/** Resolves in a coming turn of the event loop in which it resolves for no other caller, in the order of the calls. */
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
