/** Limits how often a job's progress is passed on: of values in quick succession, only the newest is. */
import type { Buffer } from "node:buffer";

export class NewestProgress {
  readonly #send: (json: Buffer) => void;
  readonly #intervalMs: number;
  #newest: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (json: Buffer) => void, intervalMs: number) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  add(json: Buffer): void {
    if (this.#intervalMs === 0) return this.#send(json);
    this.#newest = json;
    if (this.#timer === undefined) this.#sendNewest();
  }

  /** The job is over: a value that waits for its turn is dropped. */
  end(): void {
    clearTimeout(this.#timer);
    this.#newest = undefined;
  }

  #sendNewest(): void {
    const newest = this.#newest;
    this.#newest = undefined;
    this.#timer = undefined;
    if (newest === undefined) return;
    this.#send(newest);
    this.#timer = setTimeout(() => this.#sendNewest(), this.#intervalMs);
  }
}
