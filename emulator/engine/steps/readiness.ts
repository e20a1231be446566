/** Whether the service can work: it has started, and its store works. */
import type { Clock } from "../../core/time/clock.ts";
import type { Steps } from "./steps.ts";

/** Timeout of an answer of the store, ms of real time. */
const ANSWER_MS = 2_000;
/** Interval after a refused batch in which the store counts as failing, ms. Without requests no batch tries the store again. */
const FAILING_MS = 10_000;

interface ReadinessUses {
  readonly steps: Steps;
  readonly realClock: Clock;
}

export class Readiness {
  /** Warnings for an operator of a ready service, one sentence each. */
  notes: () => readonly string[] = () => [];
  #hasStarted = false;
  #isStoreAway = false;
  /** The running check of the store, shared by all callers. */
  #asking: Promise<string | undefined> | undefined;

  /** Call it when the writes at the start are done. */
  started(): void {
    this.#hasStarted = true;
  }

  /** Call it when the stored data is lost, and when it is back. */
  storeAway(isAway: boolean): void {
    this.#isStoreAway = isAway;
  }

  /** One sentence for each problem; empty if the service is ready. Never rejects. */
  async missing(uses: ReadinessUses): Promise<readonly string[]> {
    const start = this.#hasStarted ? undefined : "the start is not finished";
    const problems = [start, await this.#storeProblem(uses)];
    return problems.filter((problem) => problem !== undefined);
  }

  async #storeProblem({ realClock, steps }: ReadinessUses): Promise<string | undefined> {
    const now = realClock.now();
    if (this.#isStoreAway) return "the store is missing";
    if (now - steps.failedAt < FAILING_MS) return "the last write to the store failed";
    this.#asking ??= ask(steps).finally(() => (this.#asking = undefined));
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const disarm = realClock.wakeAt(now + ANSWER_MS, () => resolve("the store does not answer"));
    return Promise.race([this.#asking, late]).finally(disarm);
  }
}

/** Reads a job that does not exist, to test the store. */
async function ask(steps: ReadinessUses["steps"]): Promise<string | undefined> {
  try {
    await steps.read((reads) => reads.job(""));
    return undefined;
  } catch {
    return "the store cannot be read";
  }
}
