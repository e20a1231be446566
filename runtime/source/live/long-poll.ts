/** Polls the live queue, one request at a time. Pauses after a failure and after a quick empty answer. */
import { backoffMs } from "../../core/backoff.ts";
import { answerText, type LiveAnswer } from "./http.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { WorkerLog } from "../../protocol/worker-log.ts";
import { type LiveTimes, pause } from "./live-times.ts";

export interface LongPollOptions {
  /** Name of the poll in the log, for example `jobs`. */
  readonly what: string;
  readonly times: LiveTimes;
  readonly log: WorkerLog;
  /** Ends polling. An answer that is being read is still processed. */
  readonly signal: AbortSignal;
  /** Sends a poll. Rejects without an answer. */
  readonly ask: () => Promise<LiveAnswer>;
  /** Handles a 200. Returns whether it contained anything. */
  readonly answered: (answer: LiveAnswer) => boolean;
  /** Handles a 401, 403 or 404. Returns whether to go on. @param times number of such answers in a row, with this one */
  readonly denied: (answer: LiveAnswer, times: number) => boolean;
  /** Resolves when the next poll may be sent; default: at once. */
  readonly mayAsk?: () => Promise<void>;
}

const DENIALS: ReadonlySet<number> = new Set([401, 403, 404]);
const TOO_MANY = 429;

/** Resolves when `signal` has aborted, or `denied` has returned false. Never rejects. */
export async function pollForever(options: LongPollOptions): Promise<void> {
  const { signal } = options;
  const poll = new LongPoll(options);
  while (!signal.aborted) {
    await options.mayAsk?.();
    if (signal.aborted || !(await poll.once())) return;
  }
}

class LongPoll {
  readonly #options: LongPollOptions;
  #failures = 0;
  #denials = 0;

  constructor(options: LongPollOptions) {
    this.#options = options;
  }

  /** Polls once, and pauses after the answer if necessary. Returns false to end polling. */
  async once(): Promise<boolean> {
    const { ask, signal, times } = this.#options;
    const askedAt = performance.now();
    let answer: LiveAnswer;
    try {
      answer = await ask();
    } catch (error) {
      const tookMs = performance.now() - askedAt;
      // No answer before the limit means that there are no jobs; it is not an error.
      if (!signal.aborted && tookMs < times.pollLimitMs) await this.#failed(reasonOf(error));
      return true;
    }
    return this.#answered(answer, askedAt);
  }

  async #answered(answer: LiveAnswer, askedAt: number): Promise<boolean> {
    const { what, times, log, signal, answered, denied } = this.#options;
    const { status } = answer;
    if (DENIALS.has(status)) {
      this.#denials += 1;
      if (!denied(answer, this.#denials)) return false;
      await this.#failed(answerText(answer));
      return true;
    }
    this.#denials = 0;
    // 204: no job; 400: no job, and this worker is put to sleep (live).
    if (status === 200 || status === 204 || status === 400) {
      this.#recovered();
      const isFull = status === 200 && answered(answer);
      const leftMs = askedAt + times.emptyPauseMs - performance.now();
      if (!isFull && leftMs > 0) await pause(leftMs, signal);
      return true;
    }
    if (status === TOO_MANY) {
      log.write("warn", `the queue answered 429: too many requests for ${what}`, {
        retryInMs: times.tooManyPauseMs,
      });
      await pause(times.tooManyPauseMs, signal);
      return true;
    }
    await this.#failed(answerText(answer));
    return true;
  }

  async #failed(reason: string): Promise<void> {
    const { what, times, log, signal } = this.#options;
    this.#failures += 1;
    const retryInMs = backoffMs(this.#failures, times.retry, Math.random());
    log.write("warn", `the queue cannot be asked for ${what}: ${reason}`, { retryInMs });
    await pause(retryInMs, signal);
  }

  #recovered(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#options.log.write("info", `the queue can be asked for ${this.#options.what} again`);
  }
}
