/** Decides how many workers an endpoint should have, from what is known of its queue and workers. Pure. */
import type { Endpoint } from "./endpoint.ts";

export interface ScalableWorker {
  readonly id: string;
  readonly state: "initializing" | "ready" | "draining" | "unhealthy" | "lost";
  /** False for one whose process has ended, and for one that connected by itself. */
  readonly hasProcess: boolean;
  readonly heldCount: number;
  /** Since when it holds no job; its start, if it never held one. */
  readonly idleSince: number;
  /** Version of the endpoint it was started for. */
  readonly endpointVersion: number;
}

export interface ScalerInput {
  readonly now: number;
  readonly endpoint: Pick<
    Endpoint,
    "workersMin" | "workersMax" | "idleTimeout" | "scalerType" | "scalerValue" | "version"
  >;
  /** Jobs that may cause scaling: those of low priority are left out. */
  readonly inQueue: number;
  readonly inProgress: number;
  /** When the oldest of the waiting ones entered the queue. */
  readonly oldestQueuedAt: number | undefined;
  readonly workers: readonly ScalableWorker[];
  /** When the last worker of the endpoint was started; undefined if none was. */
  readonly lastStartAt: number | undefined;
  /** No worker is started before this moment, after one could not initialize. */
  readonly notBefore: number;
}

export interface ScalerDecision {
  readonly start: number;
  /** Workers that are to finish what they hold and leave. */
  readonly drain: readonly string[];
  /** When to decide again if nothing changes before; undefined: only on a change. */
  readonly dueAt: number | undefined;
}

/**
 * Source: the published formulas (spec): QUEUE_DELAY adds a worker when the oldest waiting job has waited longer than
 * `scalerValue` seconds; REQUEST_COUNT wants ceil((waiting + running) / scalerValue). Both within [workersMin, workersMax];
 * a worker without a job is stopped after `idleTimeout` seconds. Ours: the first worker of an endpoint that has none
 * starts as soon as a job waits, and QUEUE_DELAY adds one worker per `scalerValue` seconds.
 */
export function decideScale(input: ScalerInput): ScalerDecision {
  const { endpoint, now } = input;
  const live = input.workers.filter(({ state }) => state === "initializing" || state === "ready");
  const current = live.filter((worker) => worker.endpointVersion === endpoint.version);
  const drain = live.filter((worker) => worker.endpointVersion !== endpoint.version);
  const growth = wantedWorkers(input, current);
  const wanted = clamp(growth.count, endpoint.workersMin, endpoint.workersMax);
  const dueAts = [growth.dueAt];

  // One that cannot load its handler, or was lost, keeps its place until it has ended: only then is it known how long
  // to wait.
  const ending = input.workers.filter(
    ({ state, hasProcess }) => (state === "unhealthy" || state === "lost") && hasProcess,
  );
  const missing = wanted - current.length - ending.length;
  const start = missing > 0 && now >= input.notBefore ? missing : 0;
  if (missing > 0 && start === 0) dueAts.push(input.notBefore);

  let surplus = current.length - Math.max(endpoint.workersMin, demand(input));
  const idle = current.filter(isIdle).toSorted((a, b) => a.idleSince - b.idleSince);
  const aboveMax = current.length - endpoint.workersMax;
  for (const [position, worker] of idle.entries()) {
    const idleUntil = worker.idleSince + endpoint.idleTimeout * 1000;
    if (position < aboveMax || (surplus > 0 && idleUntil <= now)) drain.push(worker);
    else if (surplus > 0) dueAts.push(idleUntil);
    surplus -= 1;
  }
  return { start, drain: drain.map(({ id }) => id), dueAt: earliest(dueAts) };
}

function wantedWorkers(
  input: ScalerInput,
  current: readonly ScalableWorker[],
): { readonly count: number; readonly dueAt?: number } {
  const { endpoint, now, oldestQueuedAt } = input;
  if (endpoint.scalerType === "REQUEST_COUNT")
    return { count: Math.max(current.length, demand(input)) };
  if (oldestQueuedAt === undefined) return { count: current.length };
  if (current.length === 0) return { count: 1 };
  if (current.length >= endpoint.workersMax) return { count: current.length };
  const delayMs = endpoint.scalerValue * 1000;
  const growAt = Math.max(oldestQueuedAt, input.lastStartAt ?? 0) + delayMs;
  return growAt <= now ? { count: current.length + 1 } : { count: current.length, dueAt: growAt };
}

/** Workers below which idleness alone does not take the endpoint. */
function demand({ endpoint, inQueue, inProgress }: ScalerInput): number {
  if (endpoint.scalerType === "REQUEST_COUNT") {
    return Math.min(endpoint.workersMax, Math.ceil((inQueue + inProgress) / endpoint.scalerValue));
  }
  return inQueue > 0 ? 1 : 0;
}

function isIdle(worker: ScalableWorker): boolean {
  return worker.state === "ready" && worker.heldCount === 0;
}

function clamp(count: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, count));
}

function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
