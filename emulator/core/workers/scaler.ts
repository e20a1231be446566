/** Decides the number of workers of an endpoint, from its demand and its workers. Pure. */
import { LATEST_INSTANT } from "../time/iso.ts";
import type { Endpoint } from "../resources/endpoints/endpoint.ts";
import type { ScaleDue, ScaleReason } from "./scale-reason.ts";
import type { WorkerState } from "./worker-life.ts";

/** The jobs or requests of an endpoint. Jobs of low priority do not count (spec). */
export interface Demand {
  readonly waiting: number;
  readonly running: number;
  /** Start of the longest wait (service time); undefined if nothing waits. */
  readonly waitingSince: number | undefined;
}

export interface ScalableWorker {
  readonly id: string;
  readonly state: WorkerState;
  /** False after the process has exited, and for an external worker. */
  readonly hasProcess: boolean;
  readonly heldCount: number;
  /** Time since which the worker has no job; its start if it never had one. */
  readonly idleSince: number;
  /** Version of the endpoint that it was started for. */
  readonly endpointVersion: number;
  /** True: the service did not start the worker; it works, but the service can neither end nor restart it. Default false. */
  readonly isExternal?: boolean;
}

export interface ScalerInput {
  readonly now: number;
  readonly endpoint: Pick<
    Endpoint,
    "workersMin" | "workersMax" | "idleTimeout" | "scalerType" | "scalerValue" | "version"
  >;
  readonly demand: Demand;
  readonly workers: readonly ScalableWorker[];
  /** Time of the endpoint's last start of a worker; undefined for none. */
  readonly lastStartAt: number | undefined;
  /** Earliest moment for the next start, after a failure. */
  readonly notBefore: number;
  /** True after a failure until a worker is ready: workers are started one at a time. */
  readonly isProbing: boolean;
  /** True: workers of an old version stay until one of the new version is ready. Default: they leave at once. */
  readonly hasStandIns?: boolean;
}

export interface ScalerDecision {
  readonly start: number;
  /** Number of missing workers; more than `start` during the wait after a failure. */
  readonly missing: number;
  /** Workers that finish their jobs and leave. */
  readonly drain: readonly string[];
  /** Failed workers that have exited and need not be counted any more. */
  readonly forget: readonly string[];
  /**
   * Time of the next decision if nothing changes; the start of a worker is a change. Undefined: a decision follows only after a
   * change.
   */
  readonly dueAt: number | undefined;
  /** The event that is due at that moment. */
  readonly dueFor: ScaleDue | undefined;
  /** Number of starting and ready workers, earlier versions included. */
  readonly workers: number;
  readonly wanted: number;
  /** Reasons for the decision, and reasons that hold the rest back; empty if all is as it should be. */
  readonly reasons: readonly ScaleReason[];
  /** Number of workers that must not be stopped for being idle. */
  readonly needed: number;
}

/**
 * Makes a decision. The published formulas (spec): QUEUE_DELAY adds a worker when the oldest waiting job has waited longer than
 * `scalerValue` seconds; REQUEST_COUNT wants ceil((waiting + running) / scalerValue). Both stay within [workersMin,
 * workersMax], and a worker without a job is stopped after `idleTimeout` seconds. Ours: the first worker starts as soon as a
 * job waits, and QUEUE_DELAY adds one worker per `scalerValue` seconds.
 */
export function decideScale(input: ScalerInput): ScalerDecision {
  const { endpoint, now, notBefore } = input;
  const isCurrent = (worker: ScalableWorker) =>
    worker.isExternal === true || worker.endpointVersion === endpoint.version;
  const live = input.workers.filter(({ state }) => state === "initializing" || state === "ready");
  const current = live.filter(isCurrent);
  const failed = input.workers.filter(({ state }) => state === "unhealthy" || state === "lost");

  const growth = growthOf(input, current.length);
  const wanted = clamp(growth.count, endpoint.workersMin, endpoint.workersMax);
  // Until its process has exited, a failed worker keeps its place: the length of the wait is known only then.
  const ending = failed.filter((worker) => worker.hasProcess && isCurrent(worker));
  const missing = Math.max(0, wanted - current.length - ending.length);
  const start = startable(input, current, missing);

  const outdated = live.filter(
    (worker) => !isCurrent(worker) && !standsIn(worker, input, current, wanted),
  );
  const excess = current
    .filter(isOurs)
    .toSorted(dispensableFirst)
    .slice(0, excessOf(current.length, endpoint));
  const kept = current.filter((worker) => !excess.includes(worker));
  const idle = idleDrain(input, kept);

  const gone = failed.filter((worker) => !worker.hasProcess && isOurs(worker));
  const forget = gone.filter((worker) => now >= notBefore || !isCurrent(worker));
  const waitsOutFailure = now < notBefore && (missing > 0 || forget.length < gone.length);
  const endingFirst = Math.min(ending.length, Math.max(0, wanted - current.length));
  return {
    start,
    missing,
    drain: [...outdated, ...excess, ...idle.drain].map(({ id }) => id),
    forget: forget.map(({ id }) => id),
    ...nextDue(growth.dueAt, idle.dueAt, waitsOutFailure ? notBefore : undefined),
    workers: live.length,
    wanted,
    reasons: [
      ...growthReasons(input, growth, { missing, start, endingFirst }),
      ...drainReasons(endpoint, { outdated, excess, idle: idle.drain }),
    ],
    needed: neededNow(input),
  };
}

/**
 * Whether jobs that came, began or ended since a decision can change it before it is due again. A worker that took a job only
 * postpones it.
 */
export function jobsMatter(
  last: { readonly needed: number; readonly dueAt: number },
  input: Pick<ScalerInput, "demand" | "endpoint" | "now" | "workers">,
): boolean {
  if (neededNow(input) !== last.needed) return true;
  const { drain, dueAt = Number.POSITIVE_INFINITY } = idleDrain(input, input.workers);
  return drain.length > 0 || dueAt < last.dueAt;
}

/** Reasons for more workers, and reasons against. */
function growthReasons(
  { endpoint, now, notBefore }: ScalerInput,
  growth: Growth,
  { missing, start, endingFirst }: Readonly<Record<"missing" | "start" | "endingFirst", number>>,
): readonly ScaleReason[] {
  const { workersMin, workersMax } = endpoint;
  const isCapped =
    growth.isCapped === true || (growth.reason !== undefined && growth.count > workersMax);
  if (missing === 0 && endingFirst === 0 && !isCapped) return [];
  const cause: ScaleReason | undefined =
    growth.count < workersMin ? { type: "below-minimum", workersMin } : growth.reason;
  const reasons: ScaleReason[] = cause === undefined ? [] : [cause];
  if (isCapped) reasons.push({ type: "at-maximum", workersMax });
  if (endingFirst > 0) reasons.push({ type: "still-ending", workers: endingFirst });
  if (missing > start)
    reasons.push(
      now < notBefore ? { type: "after-failure", until: notBefore } : { type: "one-at-a-time" },
    );
  return reasons;
}

function drainReasons(
  { version, workersMax, idleTimeout }: ScalerInput["endpoint"],
  drained: Readonly<Record<"outdated" | "excess" | "idle", readonly ScalableWorker[]>>,
): readonly ScaleReason[] {
  const reasons: ScaleReason[] = [];
  if (drained.outdated.length > 0) reasons.push({ type: "new-version", version });
  if (drained.excess.length > 0) reasons.push({ type: "above-maximum", workersMax });
  if (drained.idle.length > 0) reasons.push({ type: "idle", idleTimeout });
  return reasons;
}

function isOurs({ isExternal = false }: ScalableWorker): boolean {
  return !isExternal;
}

/** Whether a worker of an old version stays until one of the new version is ready. */
function standsIn(
  { state }: ScalableWorker,
  { hasStandIns = false }: ScalerInput,
  current: readonly ScalableWorker[],
  wanted: number,
): boolean {
  if (!hasStandIns) return false;
  return state === "ready" && wanted > 0 && !current.some((worker) => worker.state === "ready");
}

interface Growth {
  readonly count: number;
  /** Time at which one more worker is wanted, if nothing changes. */
  readonly dueAt?: number;
  /** Reason for more workers; absent if there are enough. */
  readonly reason?: ScaleReason;
  /** More workers would have work, but the maximum is reached. */
  readonly isCapped?: boolean;
}

/** The number of workers by the formula, at least the present number: only idle workers are stopped. */
function growthOf({ endpoint, demand, now, lastStartAt }: ScalerInput, have: number): Growth {
  const { scalerType, scalerValue, workersMax } = endpoint;
  if (scalerType === "REQUEST_COUNT") {
    const workers = byCount(endpoint, demand);
    if (workers <= have) return { count: have };
    const { waiting, running } = demand;
    const reason = { type: "request-count", waiting, running, scalerValue, workers } as const;
    return { count: workers, reason };
  }
  const { waitingSince: since } = demand;
  if (since === undefined) return { count: have };
  if (have === 0) return { count: 1, reason: { type: "first-job" } };
  if (have >= workersMax) return { count: have, isCapped: true };
  const growAt = Math.max(since, lastStartAt ?? 0) + Math.round(scalerValue * 1000);
  if (growAt > LATEST_INSTANT) return { count: have };
  if (growAt > now) return { count: have, dueAt: growAt };
  return { count: have + 1, reason: { type: "waited", since, scalerValue } };
}

function byCount({ scalerValue }: ScalerInput["endpoint"], { waiting, running }: Demand): number {
  return Math.ceil((waiting + running) / scalerValue);
}

/** After a failure one worker is started alone: if it fails too, the others are spared. */
function startable(
  { now, notBefore, isProbing }: ScalerInput,
  current: readonly ScalableWorker[],
  missing: number,
): number {
  if (now < notBefore) return 0;
  if (!isProbing) return missing;
  return current.some(({ state }) => state === "initializing") ? 0 : Math.min(1, missing);
}

/** Ready workers to stop for being idle, the longest idle first. Starting workers do not replace them. */
function idleDrain(
  input: Pick<ScalerInput, "demand" | "endpoint" | "now">,
  kept: readonly ScalableWorker[],
): { readonly drain: readonly ScalableWorker[]; readonly dueAt: number | undefined } {
  const { endpoint, now } = input;
  const ready = kept.filter(({ state }) => state === "ready");
  const surplus = ready.length - Math.max(endpoint.workersMin, neededNow(input));
  const idle = ready
    .filter((worker) => worker.heldCount === 0 && isOurs(worker))
    .toSorted((a, b) => a.idleSince - b.idleSince)
    .slice(0, Math.max(0, surplus));
  const idleUntil = (worker: ScalableWorker) => worker.idleSince + endpoint.idleTimeout * 1000;
  return {
    drain: idle.filter((worker) => idleUntil(worker) <= now),
    dueAt: earliest(idle.map(idleUntil).filter((at) => at > now)),
  };
}

/** Number of workers that must not be stopped for being idle: others would be started at once. */
function neededNow({ endpoint, demand }: Pick<ScalerInput, "demand" | "endpoint">): number {
  if (endpoint.scalerType === "REQUEST_COUNT") return byCount(endpoint, demand);
  return demand.waiting > 0 ? Number.POSITIVE_INFINITY : 0;
}

function excessOf(have: number, { workersMax }: ScalerInput["endpoint"]): number {
  return Math.max(0, have - workersMax);
}

/** Order in which workers are stopped above `workersMax`: the one with fewer jobs first. */
function dispensableFirst(a: ScalableWorker, b: ScalableWorker): number {
  const loss = ({ state, heldCount }: ScalableWorker) => (state === "ready" ? 1 + heldCount : 0);
  return loss(a) - loss(b) || a.idleSince - b.idleSince;
}

function clamp(count: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, count));
}

/** The earliest moment, with its cause. */
function nextDue(
  growAt: number | undefined,
  idleUntil: number | undefined,
  notBefore: number | undefined,
): Pick<ScalerDecision, "dueAt" | "dueFor"> {
  const dueAt = earliest([growAt, idleUntil, notBefore]);
  if (dueAt === undefined) return { dueAt, dueFor: undefined };
  if (dueAt === notBefore) return { dueAt, dueFor: "after-failure" };
  return { dueAt, dueFor: dueAt === growAt ? "queue-delay" : "idle" };
}

function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
