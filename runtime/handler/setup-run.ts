/** The context of a running `setup`, and the function that aborts its signal. */
import type { JobLog, SetupContext } from "./contract.ts";

export class SetupRun implements SetupContext {
  readonly log: JobLog;
  volumePath: string | undefined;
  readonly #listening: () => void;
  #controller: AbortController | undefined;

  /** @param listening called when the setup first reads its signal */
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

  /** Aborts the signal, if the setup has read it. */
  abort(): void {
    this.#controller?.abort(new DOMException("The setup is no longer wanted.", "AbortError"));
  }
}
