/** A worker's poll for jobs: it ends with as many jobs as were asked for, or when no more are on their way. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import { LongPoll, type LongPollOptions } from "./long-poll.ts";

/** How long the first of several jobs waits for those whose inputs are still being read. */
const GATHER_MS = 250;

export interface JobPollOptions extends Omit<LongPollOptions, "onTimeOver"> {
  /** How many jobs are asked for. */
  readonly count: number;
  /** How many jobs are on their way to the worker. */
  readonly underWay: () => number;
}

export class JobPoll {
  readonly #poll: LongPoll<HandedJob>;
  readonly #count: number;
  readonly #underWay: () => number;

  constructor({ count, underWay, ...options }: JobPollOptions) {
    this.#count = count;
    this.#underWay = underWay;
    const poll: LongPoll<HandedJob> = new LongPoll<HandedJob>({
      ...options,
      onTimeOver: () => (poll.count === 0 && underWay() > 0 ? GATHER_MS : 0),
    });
    this.#poll = poll;
  }

  /** The jobs it is answered with. */
  get ended(): Promise<readonly HandedJob[]> {
    return this.#poll.ended;
  }

  get isOver(): boolean {
    return this.#poll.isOver;
  }

  arrive(job: HandedJob): void {
    const poll = this.#poll;
    poll.add(job);
    // A job that was on its way to the previous poll may have come in addition.
    if (poll.count === this.#count || this.#underWay() === 0) poll.end();
    else if (poll.count === 1) poll.endIn(GATHER_MS);
  }

  /** Removes a job that had come; false if it had not. */
  remove(leaseToken: string): boolean {
    return this.#poll.remove((job) => job.leaseToken === leaseToken);
  }

  end(): void {
    this.#poll.end();
  }

  /** Ends the poll without a job; returns the jobs that had come. */
  cancel(): readonly HandedJob[] {
    const gathered = this.#poll.empty();
    this.#poll.end();
    return gathered;
  }
}
