/** Waits until the service has nothing to do, without polling. */
import type { Uses } from "../context.ts";

/** An endpoint's jobs that are not done. */
export interface OpenJobs {
  readonly endpointId: string;
  readonly inQueue: number;
  readonly inProgress: number;
}

export interface OpenWork {
  readonly jobs: readonly OpenJobs[];
  /** What else is going on, in a few words each. */
  readonly underWay: readonly string[];
}

/**
 * Resolves with nothing left when no job runs, none waits but in queues on hold, and all work that was set off is done,
 * webhook calls that are due included; or with what is open when `signal` aborts. What waits for a moment of service time,
 * like the next try of a webhook, is not waited for.
 *
 * @param among looks at this endpoint's jobs alone, and at no other work; by default at everything
 */
export async function untilIdle(
  engine: Uses<"directory" | "events" | "fleet" | "pendingWork" | "store">,
  signal: AbortSignal,
  among?: string,
): Promise<OpenWork> {
  const { pendingWork } = engine;
  for (;;) {
    using change = new Change(engine, signal);
    if (among === undefined) await pendingWork.settled(signal);
    const jobs = await openJobs(engine, among);
    const underWay = among === undefined ? pendingWork.underWay : [];
    if (jobs.length + underWay.length === 0 || signal.aborted) return { jobs, underWay };
    if (jobs.length > 0) await change.seen;
  }
}

async function openJobs(
  { directory, fleet, store }: Uses<"directory" | "fleet" | "store">,
  among: string | undefined,
): Promise<readonly OpenJobs[]> {
  const endpoints = directory.endpoints().filter(({ id }) => among === undefined || id === among);
  const counted = await store.read((view) =>
    Promise.all(endpoints.map(async ({ id }) => ({ endpointId: id, ...(await view.counts(id)) }))),
  );
  return counted
    .map(({ endpointId, inQueue, inProgress }) => ({
      endpointId,
      inQueue: fleet.isOnHold(endpointId) ? 0 : inQueue,
      inProgress,
    }))
    .filter(({ inQueue, inProgress }) => inQueue + inProgress > 0);
}

/** The next change of state from its making on. */
class Change implements Disposable {
  readonly seen: Promise<void>;
  readonly #unfollow: () => void;

  constructor({ events }: Uses<"events">, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => resolve();
    const unfollow = events.follow(look);
    signal.addEventListener("abort", look, { once: true });
    this.seen = promise;
    this.#unfollow = () => {
      unfollow();
      signal.removeEventListener("abort", look);
    };
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }
}
