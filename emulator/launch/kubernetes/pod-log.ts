/** Follows the output of a pod's worker. If the API server ends the stream early, it continues after the last received line. */
import { Buffer } from "node:buffer";
import type { Clock } from "../../core/time/clock.ts";
import type { LineTail } from "../runs/line-tail.ts";
import { pause } from "../../core/time/pause.ts";

/** Pause before a log stream that ended early is opened again. */
const AGAIN_MS = 1_000;

export interface PodLogOptions {
  /** Opens the log after that timestamp, or at its beginning. */
  readonly open: (sinceTime: string | undefined, signal: AbortSignal) => AsyncIterable<string>;
  /** The timestamp after which to begin; default: the log's beginning. */
  readonly since?: string | undefined;
  readonly tail: LineTail;
  readonly clock: Clock;
}

export class PodLog {
  readonly #options: PodLogOptions;
  readonly #over = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #isOver = false;
  #last: string | undefined;
  /** Resolves when the whole log was read. Never rejects. */
  readonly #read: Promise<void>;

  constructor(options: PodLogOptions) {
    this.#options = options;
    this.#last = options.since;
    this.#read = this.#follow();
  }

  /** Call it when the worker has ended. Resolves when its whole output was read, or at `stop`. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#over.resolve();
    await this.#read;
  }

  stop(): void {
    this.#isOver = true;
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    for (;;) {
      const wasOver = this.#isOver;
      try {
        await this.#readOn();
        if (wasOver) return;
      } catch {
        if (wasOver) return;
      }
      await Promise.race([
        pause(this.#options.clock, AGAIN_MS, this.#stop.signal),
        this.#over.promise,
      ]);
      if (this.#stop.signal.aborted) return;
    }
  }

  async #readOn(): Promise<void> {
    const { open, tail } = this.#options;
    const before = this.#last;
    for await (const line of open(before, this.#stop.signal)) {
      const space = line.indexOf(" ");
      const at = space < 0 ? line : line.slice(0, space);
      // The server ignores fractions of seconds, and so repeats lines.
      if (before !== undefined && at <= before) continue;
      this.#last = at;
      tail.push(Buffer.from(`${space < 0 ? "" : line.slice(space + 1)}\n`));
    }
  }
}
