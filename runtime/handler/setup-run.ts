/** The context of a running `setup`, and the way to tell it that it is no longer wanted. */
import type { JobLog, SetupContext } from "./contract.ts";

export class SetupRun implements SetupContext {
  readonly log: JobLog;
  readonly volumePath: string | undefined;
  readonly #listening: () => void;
  #controller: AbortController | undefined;

  /** @param listening called when the setup takes its signal, for the first time */
  constructor(log: JobLog, volumePath: string | undefined, listening: () => void) {
    this.log = log;
    this.volumePath = volumePath;
    this.#listening = listening;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#listening();
    }
    return this.#controller.signal;
  }

  /** Only a setup that listens is ever told. */
  abort(): void {
    this.#controller?.abort(new DOMException("The setup is no longer wanted.", "AbortError"));
  }
}
