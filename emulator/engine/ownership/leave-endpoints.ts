/** Ends all work for endpoints that move to another process. */
import { within } from "../../core/time/pause.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { isOfExternal } from "../jobs/recovered-jobs.ts";
import { requeueOrphans } from "../jobs/requeue.ts";
import type { LeaveWhen } from "../../store/ownership.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";
import type { Running } from "./running.ts";

/**
 * Two periods in which jobs and requests can end, ms of real time. In the first one load balancing endpoints still take
 * requests. Their sum is the time that an emulator without replicas gives at its stop.
 */
const WAIT_MS: Readonly<Record<LeaveWhen, readonly [number, number]>> = {
  idle: [55_000, 5_000],
  stop: [25_000, 5_000],
  now: [0, 1_000],
};

interface Leaving {
  readonly partitions: ReadonlySet<number>;
  readonly when: LeaveWhen;
  /** Listeners that check whether workers have finished their jobs. */
  readonly looks: Set<() => void>;
}

/**
 * As soon as it is called, no job is handed over any more, and the workers of queues leave. Load balancing endpoints and
 * webhook calls go on until running work has ended; then their requests wait for the next owner. Running jobs get time to end,
 * and then return to the queue, except those of workers from elsewhere, which go on at the next owner. The next owner repeats
 * webhook calls that are still in progress. This process owns the partitions until the call resolves.
 */
export async function leaveEndpoints(
  engine: StepPort & TimePort & WorkerPort & CatalogPort,
  { pods, webhooks, workers }: Running,
  { partitions, when, looks }: Leaving,
): Promise<void> {
  const { balancer, directory, ownership, realClock, steps, usage } = engine;
  ownership.leaving(partitions);
  const isOfThese = ownership.isOf(partitions);
  const isLeaving = (endpointId: string) =>
    isOfThese(endpointId) && ownership.isLeaving(endpointId);
  const decideWorkers = () => {
    for (const { id } of directory.endpoints()) if (isLeaving(id)) workers.consider(id);
  };
  decideWorkers();
  const podsEnded = ownership.isServiceOf(partitions) ? pods.stop("drain") : undefined;
  const ended = (idle: Promise<void>) =>
    Promise.all([idle, balancer.ended(isLeaving), webhooks.ended(isLeaving), podsEnded]);
  const [takesMs, endsMs] = WAIT_MS[when];
  const isOfQueue = ({ endpointId, endpointType }: WorkerHandle) =>
    isLeaving(endpointId) && endpointType !== "LOAD_BALANCING";
  if (takesMs > 0) await within(realClock, takesMs, ended(untilIdle(engine, isOfQueue, looks)));
  ownership.holdBack(partitions);
  decideWorkers();
  const isOfAny = ({ endpointId }: WorkerHandle) => isLeaving(endpointId);
  await within(realClock, endsMs, ended(untilIdle(engine, isOfAny, looks)));
  if (podsEnded) pods.killAll();
  const running = steps.jobsInMemory(
    (job) => job.status === "IN_PROGRESS" && isLeaving(job.endpointId) && !isOfExternal(job),
  );
  if (running.length > 0) await requeueOrphans(engine, running);
  await Promise.all([workers.abandon(isLeaving), webhooks.abandon(isLeaving), podsEnded]);
  await usage.written();
}

/** Resolves when none of these workers has a job or a request. */
async function untilIdle(
  { fleet }: WorkerPort,
  isMeant: (worker: WorkerHandle) => boolean,
  looks: Set<() => void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const workers = fleet.all().filter((worker) => isMeant(worker) && !worker.namesItsJobs);
    if (workers.every(({ heldCount }) => heldCount === 0)) resolve();
  };
  looks.add(look);
  look();
  await promise;
  looks.delete(look);
}
