/** Reports a worker that is started soon after an idle one was stopped, although no event required it. */
export class FlapWatch {
  #stoppedAt = Number.NEGATIVE_INFINITY;
  #hasCause = true;

  /** An idle worker was stopped. */
  stopped(now: number): void {
    this.#stoppedAt = now;
    this.#hasCause = false;
  }

  /** A job came or came back, a worker failed, or the endpoint was changed. */
  caused(): void {
    this.#hasCause = true;
  }

  /** Whether a worker that starts now could have been the one that was stopped since `since`. */
  isFlapping(since: number): boolean {
    return !this.#hasCause && this.#stoppedAt >= since;
  }
}
