/** Waits for the next change of one job; a change between a read and the wait is not missed. */
import { pause } from "../../../core/time/pause.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import type { JobListener, JobRef } from "../../steps/job-watchers.ts";

export class JobSignal implements Disposable {
  readonly #engine: TimePort & WakePort;
  readonly #unwatch: () => void;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  /** Calls `listener` with each change before the end of the wait. */
  constructor(engine: TimePort & WakePort, ref: JobRef, listener?: JobListener) {
    this.#engine = engine;
    this.#unwatch = engine.watchers.watch(ref, (change) => {
      listener?.(change);
      this.#hasChanged = true;
      this.#wake?.();
    });
  }

  /** True if the job has changed since the last call; false if `holdMs` passed or `signal` aborted first. */
  async changed(holdMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#hasChanged && !signal.aborted) await this.#wait(holdMs, signal);
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }

  async #wait(holdMs: number, signal: AbortSignal): Promise<void> {
    await pause(this.#engine.clock, holdMs, signal, (wake) => (this.#wake = wake));
    this.#wake = undefined;
  }
}
