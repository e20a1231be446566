/** A worker's poll for jobs. It ends with the requested number of jobs, or when no more are on their way. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import { LongPoll, type LongPollOptions } from "./long-poll.ts";

/** Maximum time that the first of several jobs waits for jobs with inputs that are still being read. */
const GATHER_MS = 250;

export interface JobPollOptions extends Omit<LongPollOptions, "onTimeOver"> {
  readonly count: number;
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

  get ended(): Promise<readonly HandedJob[]> {
    return this.#poll.ended;
  }

  get isOver(): boolean {
    return this.#poll.isOver;
  }

  arrive(job: HandedJob): void {
    const poll = this.#poll;
    poll.add(job);
    // A job on its way to the previous poll may come in addition.
    if (poll.count === this.#count || this.#underWay() === 0) poll.end();
    else if (poll.count === 1) poll.endIn(GATHER_MS);
  }

  /** Removes a job that has come. False if it has not. */
  remove(leaseToken: string): boolean {
    return this.#poll.remove((job) => job.leaseToken === leaseToken);
  }

  end(): void {
    this.#poll.end();
  }

  /** Ends the poll without a job. Returns the jobs that have come. */
  cancel(): readonly HandedJob[] {
    const gathered = this.#poll.empty();
    this.#poll.end();
    return gathered;
  }
}
