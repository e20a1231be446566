/** Waits until the service has nothing to do, without polling. */
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { WorkerPort } from "../engine/workers/worker-port.ts";
import type { HistoryPort } from "../engine/observe/tell-port.ts";
import type { CatalogPort } from "../engine/resources/catalog-port.ts";

/** Numbers of unfinished jobs of an endpoint. */
export interface OpenJobs {
  readonly endpointId: string;
  readonly inQueue: number;
  readonly inProgress: number;
}

export interface OpenWork {
  readonly jobs: readonly OpenJobs[];
  /** Other work in progress, in a few words each. */
  readonly underWay: readonly string[];
}

/**
 * Resolves with empty lists when the service is idle: no job runs, none waits except in queues on hold, and all started work is
 * done, due webhook calls included. When `signal` aborts, resolves with the remaining work. Work that is due later, like the
 * next try of a webhook, does not count. @param among id of an endpoint: only its jobs count, and no other work; default:
 * everything
 */
export async function untilIdle(
  engine: StepPort & TimePort & WorkerPort & HistoryPort & CatalogPort,
  signal: AbortSignal,
  among?: string,
): Promise<OpenWork> {
  const { pendingWork } = engine;
  for (;;) {
    using change = new NextChange(engine, signal);
    if (among === undefined) await pendingWork.settled(signal);
    const jobs = await openJobs(engine, among);
    const underWay = among === undefined ? pendingWork.underWay : [];
    if (jobs.length + underWay.length === 0 || signal.aborted) return { jobs, underWay };
    if (jobs.length > 0) await change.seen;
  }
}

async function openJobs(
  { directory, fleet, ownership, steps }: StepPort & WorkerPort & CatalogPort,
  among: string | undefined,
): Promise<readonly OpenJobs[]> {
  const isMeant = (id: string) => (among === undefined ? ownership.holds(id) : id === among);
  const endpoints = directory.endpoints().filter(({ id }) => isMeant(id));
  const counted = await Promise.all(
    endpoints.map(async ({ id }) => ({ endpointId: id, ...(await steps.counts(id)) })),
  );
  return counted
    .map(({ endpointId, inQueue, inProgress }) => ({
      endpointId,
      inQueue: fleet.isOnHold(endpointId) ? 0 : inQueue,
      inProgress,
    }))
    .filter(({ inQueue, inProgress }) => inQueue + inProgress > 0);
}

/** Resolves with the first change of state after the call. */
class NextChange implements Disposable {
  readonly seen: Promise<void>;
  readonly #unfollow: () => void;

  constructor({ events }: HistoryPort, signal: AbortSignal) {
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
