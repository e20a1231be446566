/** Warns of a worker with pings that do not match its jobs. It holds its place without work, or does the work of others. */
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";

/** Minimum duration of a mismatch. A ping may have been written before the job came or ended. */
const WARN_AFTER_MS = 10_000;

/** Maximum remembered jobs of a worker. It may still ping for a job that has ended. */
const REMEMBERED = 1_000;

const OWN_DIRECTORIES = "workers that keep their jobs in a file need a working directory each";

type PingUses = StepPort & TimePort & TellPort;

export class PingCheck {
  readonly #engine: PingUses;
  readonly #worker: WorkerHandle;
  /** The ids of its newest jobs, the oldest first. */
  readonly #handed = new Set<string>();
  readonly #unknownJobs = new LastingProblem();
  readonly #noPolls = new LastingProblem();

  constructor(engine: PingUses, worker: WorkerHandle) {
    this.#engine = engine;
    this.#worker = worker;
  }

  jobHanded(jobId: string): void {
    this.#handed.add(jobId);
    const [oldest = ""] = this.#handed;
    if (this.#handed.size > REMEMBERED) this.#handed.delete(oldest);
  }

  polled(): void {
    this.#noPolls.end();
  }

  async pinged(jobIds: readonly string[], { isPolling }: { readonly isPolling: boolean }) {
    const now = this.#engine.realClock.now();
    const unknown = jobIds.filter((jobId) => !this.#handed.has(jobId));
    if (this.#unknownJobs.lasts(unknown.length > 0, now)) {
      const sentence = `worker reports jobs that it was never given; ${OWN_DIRECTORIES}`;
      this.#warn({ jobIds: unknown }, sentence);
    }
    const { heldCount, life } = this.#worker;
    // A worker may have no room for another job while it works on one that has ended.
    const worksOnEnded = unknown.length < jobIds.length;
    const isFree = heldCount === 0 && !worksOnEnded && life.drainingSince === undefined;
    if (this.#noPolls.lasts(isFree && !isPolling && (await this.#jobsWait()), now)) {
      const sentence = `worker has no job and does not ask for one, although jobs wait; ${OWN_DIRECTORIES}`;
      this.#warn({}, sentence);
    }
  }

  async #jobsWait(): Promise<boolean> {
    const { steps } = this.#engine;
    const { inQueue } = await steps.counts(this.#worker.endpointId);
    return inQueue > 0;
  }

  #warn(fields: object, sentence: string): void {
    const { id: workerId, endpointId } = this.#worker;
    this.#engine.log.warn({ workerId, endpointId, ...fields }, sentence);
  }
}

/** A problem that is reported once, after a minimum duration. */
class LastingProblem {
  #since: number | undefined;
  #isReported = false;

  end(): void {
    this.#since = undefined;
  }

  /** True once, when the problem has lasted long enough at `now`. */
  lasts(isThere: boolean, now: number): boolean {
    if (!isThere) this.end();
    else this.#since ??= now;
    if (this.#isReported || this.#since === undefined || now - this.#since < WARN_AFTER_MS)
      return false;
    this.#isReported = true;
    return true;
  }
}
