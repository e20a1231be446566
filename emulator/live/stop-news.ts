/** Jobs a live worker still has to be told to stop, and its poll for such news. */
import { LongPoll, type LongPollOptions } from "./long-poll.ts";

export class StopNews {
  readonly #jobIds = new Set<string>();
  #poll: LongPoll<string> | undefined;

  /** The worker is to be told to stop these jobs: now if it asks, else when it does. */
  add(...jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#jobIds.add(jobId);
    this.#tell();
  }

  /** There is nothing of that job left to stop. */
  forget(jobId: string): void {
    this.#jobIds.delete(jobId);
  }

  /** What the worker has to stop, as soon as there is something. */
  ask(options: Omit<LongPollOptions, "onEnd">): Promise<readonly string[]> {
    this.end();
    const poll = new LongPoll<string>({ ...options, onEnd: () => (this.#poll = undefined) });
    if (poll.isOver) return poll.ended;
    this.#poll = poll;
    this.#tell();
    return poll.ended;
  }

  /** Ends the poll. */
  end(): void {
    this.#poll?.end();
  }

  #tell(): void {
    if (!this.#poll || this.#jobIds.size === 0) return;
    this.#poll.add(...this.#jobIds);
    this.#jobIds.clear();
    this.#poll.end();
  }
}
