/** Ends all work for endpoints that another process is to decide for. */
import { within } from "../../core/time/pause.ts";
import type { Uses } from "../parts/engine-parts.ts";
import { isOfExternal } from "../jobs/former-jobs.ts";
import { requeueOrphans } from "../jobs/requeue.ts";
import type { LeaveWhen } from "../../store/ownership.ts";
import type { Running } from "./running.ts";

/** Time that running jobs get to end, of real time; at a stop that of an emulator without replicas. */
const WAIT_MS: Readonly<Record<LeaveWhen, number>> = { idle: 60_000, stop: 30_000, now: 1_000 };

export type LeaveUses = Uses<
  | "clock"
  | "directory"
  | "endpointChanged"
  | "fleet"
  | "lease"
  | "ownership"
  | "random"
  | "realClock"
  | "steps"
  | "usage"
>;

interface Leaving {
  readonly parts: ReadonlySet<number>;
  readonly when: LeaveWhen;
  /** What is called when a worker may have no job any more. */
  readonly looks: Set<() => void>;
}

/**
 * From the call on no job and no request of them is handed over, and their workers leave. Jobs that run are waited for, and then put
 * back into the queue, but those of workers from elsewhere, who go on with them at the next owner; so are webhook calls, and then made again by the next owner. Until it resolves they are decided for here.
 */
export async function leaveEndpoints(
  engine: LeaveUses,
  { pods, webhooks, workers }: Running,
  { parts, when, looks }: Leaving,
): Promise<void> {
  const { directory, endpointChanged, ownership, steps, usage } = engine;
  ownership.leaving(parts);
  const isOfThese = ownership.isOf(parts);
  const isLeaving = (endpointId: string) =>
    isOfThese(endpointId) && ownership.isLeaving(endpointId);
  for (const { id } of directory.endpoints()) if (isLeaving(id)) endpointChanged(id);
  const podsEnded = ownership.isServiceOf(parts) ? pods.stop("drain") : undefined;
  const ended = Promise.all([
    untilIdle(engine, isLeaving, looks),
    webhooks.ended(isLeaving),
    podsEnded,
  ]);
  await within(engine.realClock, WAIT_MS[when], ended);
  if (podsEnded) pods.killAll();
  const running = steps.jobsInMemory(
    (job) => job.status === "IN_PROGRESS" && isLeaving(job.endpointId) && !isOfExternal(job),
  );
  if (running.length > 0) await requeueOrphans(engine, running);
  await Promise.all([workers.abandon(isLeaving), webhooks.abandon(isLeaving), podsEnded]);
  await usage.written();
}

/** Resolves when no worker of them has a job or a request. */
async function untilIdle(
  { fleet }: Uses<"fleet">,
  isMeant: (endpointId: string) => boolean,
  looks: Set<() => void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const workers = fleet
      .all()
      .filter(({ endpointId, namesItsJobs }) => isMeant(endpointId) && !namesItsJobs);
    if (workers.every(({ heldCount }) => heldCount === 0)) resolve();
  };
  looks.add(look);
  look();
  await promise;
  looks.delete(look);
}
