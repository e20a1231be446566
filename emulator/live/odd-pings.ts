/** Tells of a worker whose pings do not fit what it was handed: it would keep its place, and do nothing or the work of others. */
import type { Uses } from "../engine/context.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";

/** For how long something has to be odd: a ping may have been put together before the job came or ended. */
const TOLD_AFTER_MS = 10_000;

/** How many of the jobs that a worker was handed are remembered: of one that has ended it may not know for a while. */
const REMEMBERED = 1_000;

const OWN_DIRECTORIES =
  "workers that keep the jobs they hold in a file need a working directory each";

type PingUses = Uses<"log" | "realClock" | "steps">;

export class OddPings {
  readonly #engine: PingUses;
  readonly #worker: WorkerHandle;
  /** Ids of the newest jobs it was handed, oldest first. */
  readonly #handed = new Set<string>();
  readonly #strangeJobs = new Oddity();
  readonly #noQuestions = new Oddity();

  constructor(engine: PingUses, worker: WorkerHandle) {
    this.#engine = engine;
    this.#worker = worker;
  }

  /** The worker is handed a job. */
  hand(jobId: string): void {
    this.#handed.add(jobId);
    const [oldest = ""] = this.#handed;
    if (this.#handed.size > REMEMBERED) this.#handed.delete(oldest);
  }

  /** The worker asks for jobs. */
  asks(): void {
    this.#noQuestions.settle();
  }

  /** The worker says that it works on these jobs. */
  async look(jobIds: readonly string[], { isAsking }: { readonly isAsking: boolean }) {
    const now = this.#engine.realClock.now();
    const strange = jobIds.filter((jobId) => !this.#handed.has(jobId));
    if (this.#strangeJobs.lasts(strange.length > 0, now)) {
      const sentence = `worker says that it works on jobs that it was not handed; ${OWN_DIRECTORIES}`;
      this.#tell({ jobIds: strange }, sentence);
    }
    const { heldCount, life } = this.#worker;
    // One that still works on a job which has ended has no place for another.
    const worksOnEnded = strange.length < jobIds.length;
    const isFree = heldCount === 0 && !worksOnEnded && life.drainingSince === undefined;
    if (this.#noQuestions.lasts(isFree && !isAsking && (await this.#jobsWait()), now)) {
      const sentence = `worker does not ask for jobs, though it holds none and some wait; ${OWN_DIRECTORIES}`;
      this.#tell({}, sentence);
    }
  }

  async #jobsWait(): Promise<boolean> {
    const { steps } = this.#engine;
    const { inQueue } = await steps.read((view) => view.counts(this.#worker.endpointId));
    return inQueue > 0;
  }

  #tell(fields: object, sentence: string): void {
    const { id: workerId, endpointId } = this.#worker;
    this.#engine.log.warn({ workerId, endpointId, ...fields }, sentence);
  }
}

/** Something that is told of once, when it has been so for a while. */
class Oddity {
  #since: number | undefined;
  #isTold = false;

  settle(): void {
    this.#since = undefined;
  }

  /** True once, when it has been so long enough at `now`. */
  lasts(isSo: boolean, now: number): boolean {
    if (!isSo) this.settle();
    else this.#since ??= now;
    if (this.#isTold || this.#since === undefined || now - this.#since < TOLD_AFTER_MS)
      return false;
    this.#isTold = true;
    return true;
  }
}
