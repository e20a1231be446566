/** Posts a report on a job until the queue has given a final answer. */
import { backoffMs } from "../../core/backoff.ts";
import { answerText, type LiveHttp } from "./http.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { WorkerLog } from "../../protocol/worker-log.ts";
import { type LiveTimes, pause } from "./live-times.ts";

export interface ReportPostOptions {
  readonly http: LiveHttp;
  readonly times: LiveTimes;
  readonly log: WorkerLog;
}

export interface ReportPostEvents {
  /** Called when a report failed; it is sent again. */
  readonly failed: () => void;
}

/** The fate of a report. */
export interface Delivery {
  readonly isTaken: boolean;
  /** The queue's message about a report that it finally refuses. */
  readonly refusal?: string;
}

const TOO_MANY = 429;
/** Statuses that do not depend on the report: from a changed key, or a gateway without its queue. */
const DOUBTFUL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 404]);
/** Statuses after which the report may be accepted the next time: too late, too early, too many. */
const MOMENTARY: ReadonlySet<number> = new Set([408, 425, TOO_MANY]);

/** The reports of one job. One time limit for doubtful answers covers all of them. */
export class ReportPost {
  readonly #jobId: string;
  readonly #signal: AbortSignal;
  readonly #options: ReportPostOptions & ReportPostEvents;
  /** Time since which all answers of the queue have been doubtful. */
  #doubtedSince: number | undefined;

  /** @param signal aborts when no more is to be reported about the job */
  constructor(jobId: string, signal: AbortSignal, options: ReportPostOptions & ReportPostEvents) {
    this.#jobId = jobId;
    this.#signal = signal;
    this.#options = options;
  }

  /**
   * Settles when the queue has answered, the time limit is over or `signal` has aborted. Never rejects. @param what for the log
   */
  async deliver(what: string, url: string, body: Uint8Array): Promise<Delivery> {
    const { times, log, http } = this.#options;
    const jobId = this.#jobId;
    const signal = this.#signal;
    const givenUpAt = performance.now() + times.reportPatienceMs;
    for (let failures = 1; !signal.aborted; failures += 1) {
      let reason: string;
      let retryInMs = backoffMs(failures, times.retry, Math.random());
      try {
        const answer = await http.post(url, jobId, body, signal);
        const { status } = answer;
        if (this.#isTaken(status)) return { isTaken: true };
        reason = answerText(answer);
        if (status === TOO_MANY) retryInMs = Math.max(retryInMs, times.tooManyPauseMs);
        if (isRefusal(status)) {
          log.write("error", `the queue does not take ${what} of a job: ${reason}`, { jobId });
          return { isTaken: false, refusal: reason };
        }
      } catch (error) {
        this.#doubtedSince = undefined;
        reason = reasonOf(error);
      }
      if (signal.aborted) break;
      if (this.#isDoubtedTooLong() || performance.now() + retryInMs > givenUpAt) {
        log.write("error", `${what} of a job is given up: ${reason}`, { jobId });
        break;
      }
      this.#options.failed();
      const fields = { jobId, retryInMs };
      log.write("warn", `the queue has not taken ${what} of a job: ${reason}`, fields);
      await pause(retryInMs, signal);
    }
    return { isTaken: false };
  }

  #isTaken(status: number): boolean {
    if (!DOUBTFUL.has(status)) this.#doubtedSince = undefined;
    else this.#doubtedSince ??= performance.now();
    return status >= 200 && status < 300;
  }

  /**
   * Whether doubtful answers have lasted too long. The limit is per job, so that not each chunk of an unknown job uses it up.
   */
  #isDoubtedTooLong(): boolean {
    const sinceMs = performance.now() - (this.#doubtedSince ?? performance.now());
    return sinceMs > this.#options.times.doubtPatienceMs;
  }
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !DOUBTFUL.has(status) && !MOMENTARY.has(status);
}
