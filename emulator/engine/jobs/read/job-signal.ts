/** Waits for the next change of one job; a change between a read and the wait is not missed. */
import type { Uses } from "../../context.ts";
import type { JobListener } from "./job-watchers.ts";

export class JobSignal implements Disposable {
  readonly #engine: Uses<"clock" | "watchers">;
  readonly #unwatch: () => void;
  #rung = false;
  #wake: (() => void) | undefined;

  /** `listener` is called with each news before the bell rings. */
  constructor(engine: Uses<"clock" | "watchers">, jobId: string, listener?: JobListener) {
    this.#engine = engine;
    this.#unwatch = engine.watchers.watch(jobId, (news) => {
      listener?.(news);
      this.#rung = true;
      this.#wake?.();
    });
  }

  /** True once the bell rang since it was last heard; false when `holdMs` passed or `signal` aborted before. */
  async heard(holdMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#rung && !signal.aborted) await this.#wait(holdMs, signal);
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }

  async #wait(holdMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    const disarm = this.#engine.clock.wakeAt(this.#engine.clock.now() + holdMs, wake);
    await promise;
    disarm();
    signal.removeEventListener("abort", wake);
    this.#wake = undefined;
  }
}
