/** A worker's poll for jobs: it ends with as many as were asked for, or when no more are on their way. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import { LongPoll, type LongPollOptions } from "./long-poll.ts";

/** How long the first job of several waits for those whose inputs are still being read. */
const GATHER_MS = 250;

export interface JobPollOptions extends Omit<LongPollOptions, "onTimeOver"> {
  /** Jobs that are asked for. */
  readonly count: number;
  /** How many are on their way to the worker. */
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

  /** The jobs that came for it, once it is over. */
  get ended(): Promise<readonly HandedJob[]> {
    return this.#poll.ended;
  }

  get isOver(): boolean {
    return this.#poll.isOver;
  }

  arrive(job: HandedJob): void {
    const poll = this.#poll;
    poll.add(job);
    // One that was on its way to the poll before may have come beside those that were asked for now.
    if (poll.count === this.#count || this.#underWay() === 0) poll.end();
    else if (poll.count === 1) poll.endIn(GATHER_MS);
  }

  /** True when it had come and does not any more. */
  remove(leaseToken: string): boolean {
    return this.#poll.remove((job) => job.leaseToken === leaseToken);
  }

  end(): void {
    this.#poll.end();
  }

  /** Ends it without a job; answers those that had come. */
  breakOff(): readonly HandedJob[] {
    const gathered = this.#poll.empty();
    this.#poll.end();
    return gathered;
  }
}
