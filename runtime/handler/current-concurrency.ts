/** Calls a handler's `concurrency` function, once at a time, and passes on changes. */
import { inspect } from "node:util";
import type { Concurrency, JobLog } from "./contract.ts";
import { isConcurrency } from "./module/read-module.ts";
import { describeThrown } from "./thrown.ts";

export class CurrentConcurrency {
  readonly #concurrency: Concurrency;
  readonly #log: Pick<JobLog, "warn">;
  /** The value of the option, or the last valid result of the function. */
  current: number;
  #isAsking = false;
  #askAgain = false;

  constructor(concurrency: Concurrency, log: Pick<JobLog, "warn">) {
    this.#concurrency = concurrency;
    this.#log = log;
    this.current = typeof concurrency === "number" ? concurrency : 1;
  }

  /**
   * Calls the handler's function. A call during another one waits for its result. Never rejects.
   *
   * @param changed called with each result that differs from the current concurrency
   */
  async ask(changed: (concurrency: number) => void): Promise<void> {
    if (typeof this.#concurrency === "number") return;
    if (this.#isAsking) {
      this.#askAgain = true;
      return;
    }
    this.#isAsking = true;
    do {
      this.#askAgain = false;
      const answer = await this.#answer(this.#concurrency);
      if (answer === this.current) continue;
      this.current = answer;
      changed(answer);
    } while (this.#askAgain);
    this.#isAsking = false;
  }

  async #answer(concurrency: Exclude<Concurrency, number>): Promise<number> {
    try {
      const answer: unknown = await concurrency(this.current);
      if (isConcurrency(answer)) return answer;
      this.#ignored(`returned ${inspect(answer, { depth: 0 })}, not a whole number of at least 1`);
    } catch (thrown) {
      this.#ignored(`threw: ${describeThrown(thrown).message}`);
    }
    return this.current;
  }

  #ignored(what: string): void {
    this.#log.warn(`\`concurrency\` ${what}; it stays at ${this.current}.`);
  }
}
