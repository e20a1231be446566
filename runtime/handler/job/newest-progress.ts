/** Limits how often a job's progress is passed on. Of several values within an interval, only the newest is passed on. */
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

  /** Call it when the job is over. A value that is still waiting is dropped. */
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
