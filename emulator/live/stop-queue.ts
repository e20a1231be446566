/** The jobs that a live worker has yet to be told to stop, and its poll for them. */
import { LongPoll, type LongPollOptions } from "./long-poll.ts";

export class StopQueue {
  readonly #jobIds = new Set<string>();
  #poll: LongPoll<string> | undefined;

  /** Tells the worker to stop these jobs, by the open poll or else by the next one. */
  add(...jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#jobIds.add(jobId);
    this.#answer();
  }

  /** Removes a job that the worker need not be told about any more. */
  remove(jobId: string): void {
    this.#jobIds.delete(jobId);
  }

  /** Opens a poll and ends the previous one. Resolves with the jobs to stop, as soon as there are any. */
  poll(options: Omit<LongPollOptions, "onEnd">): Promise<readonly string[]> {
    this.endPoll();
    const poll = new LongPoll<string>({ ...options, onEnd: () => (this.#poll = undefined) });
    if (poll.isOver) return poll.ended;
    this.#poll = poll;
    this.#answer();
    return poll.ended;
  }

  endPoll(): void {
    this.#poll?.end();
  }

  #answer(): void {
    if (!this.#poll || this.#jobIds.size === 0) return;
    this.#poll.add(...this.#jobIds);
    this.#jobIds.clear();
    this.#poll.end();
  }
}
