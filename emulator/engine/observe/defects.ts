/** Tells of functions that throw where they must not: each place once, with its stack. */
import type { OnDefect } from "../../core/guarded.ts";
import type { EngineLog } from "./engine-log.ts";

/** Maximum number of places that are told apart; defects at further ones are not told. */
const MOST_PLACES = 100;

const FIRST_FRAME = /^ +at .*$/m;

export class Defects {
  readonly #log: Pick<EngineLog, "error">;
  readonly #told = new Set<string>();

  /** @param log must not throw */
  constructor(log: Pick<EngineLog, "error">) {
    this.#log = log;
  }

  /** @param sentence names the function that threw, and says what its defect means */
  of(sentence: string): OnDefect {
    return (error) => {
      const place = `${sentence}\n${placeOf(error)}`;
      if (this.#told.size >= MOST_PLACES || this.#told.has(place)) return;
      this.#told.add(place);
      this.#log.error({ err: error }, sentence);
    };
  }
}

/** Where it was thrown: the message may be another one each time. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return FIRST_FRAME.exec(stack ?? "")?.[0] ?? typeof error;
}
