/** Logs functions that throw where they must not: each place once, with its stack. */
import type { OnDefect } from "../../core/guarded.ts";
import type { EngineLog } from "./engine-log.ts";

/** Maximum number of places that are logged; defects at further places are not. */
const MOST_PLACES = 100;

const FIRST_FRAME = /^ +at .*$/m;

export class Defects {
  readonly #log: Pick<EngineLog, "error">;
  readonly #told = new Set<string>();

  /** @param log must not throw */
  constructor(log: Pick<EngineLog, "error">) {
    this.#log = log;
  }

  /** @param sentence names the function that threw, and the effect of the defect */
  of(sentence: string): OnDefect {
    return (error) => {
      const place = `${sentence}\n${placeOf(error)}`;
      if (this.#told.size >= MOST_PLACES || this.#told.has(place)) return;
      this.#told.add(place);
      this.#log.error({ err: error }, sentence);
    };
  }
}

/** The place of the error: its message may differ each time. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return FIRST_FRAME.exec(stack ?? "")?.[0] ?? typeof error;
}
