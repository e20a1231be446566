/** Makes the parts of the engine on an open store; nothing runs yet. */
import { DEFAULT_PRICES, type PriceTable } from "../../core/billing/prices.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms } from "../../core/jobs/lease-terms.ts";
import { ServiceMetrics } from "../../core/observe/metrics/service-metrics.ts";
import type { Tell } from "../../core/observe/fact.ts";
import { type AttemptEnd, isTrouble } from "../../core/observe/log/attempt-end.ts";
import type { GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import type { Pod } from "../../core/pods/pod.ts";
import { SECRET_KEY_BYTES } from "../../core/resources/secrets/sealed-secret.ts";
import type { Clock, Random } from "../../core/time/clock.ts";
import { fixedSecretKey, type SecretKey } from "../../secrets/secret-key.ts";
import type { Ownership } from "../../store/ownership.ts";
import type { Store } from "../../store/store.ts";
import type { Tracer } from "../../trace/tracer.ts";
import { Balancer } from "../balancing/balancer.ts";
import { beginToBill } from "../billing/bill-worker.ts";
import { UsageMeter } from "../billing/usage-meter.ts";
import type { EngineContext } from "./engine-parts.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { assignFromStore, sendAssignments } from "../jobs/hand-over/assign.ts";
import type { Job } from "../../core/jobs/job.ts";
import { readPayloads } from "../jobs/job-payloads.ts";
import { EarlyChunks } from "../streams/early-chunks.ts";
import { InputsAhead } from "../jobs/hand-over/inputs-ahead.ts";
import { EarlyHandOvers } from "../jobs/hand-over/early-hand-overs.ts";
import { JobWatchers } from "../steps/job-watchers.ts";
import { BytesInFlight, IN_FLIGHT_LIMITS } from "../limits/bytes-in-flight.ts";
import { ServiceSeries } from "../../core/observe/series/service-series.ts";
import { Defects } from "../observe/defects.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import { EventFeed } from "../observe/event-feed.ts";
import { JobSpans } from "../observe/job-spans.ts";
import { Readiness } from "../steps/readiness.ts";
import { LogFeed } from "../observe/log-feed.ts";
import { ToldVersions } from "../observe/told-versions.ts";
import type { PodRun } from "../pods/pod-run.ts";
import { type ReleaseParts, releaseEffects } from "./release-effects.ts";
import { Directory } from "../resources/directory.ts";
import { HandlerSchemaBook, type HandlerTold } from "../resources/endpoints/handler-schemas.ts";
import { NO_VOLUME_FILES, type VolumeFiles } from "../resources/volume-files.ts";
import { isMoved } from "../steps/state/endpoint-moved.ts";
import { createSignals, type EngineSignals, raisersOf } from "./engine-signals.ts";
import { StartWork } from "./start-work.ts";
import { openSteps, type Steps } from "../steps/steps.ts";
import { storedOffsetMs } from "../time/advance-clock.ts";
import { DueTimer } from "../time/due-timer.ts";
import { PendingWork } from "../time/pending-work.ts";
import { ServiceClock } from "../time/service-clock.ts";
import { Fleet } from "../workers/fleet.ts";
import { Turns } from "../../core/turns.ts";
import { WorkerMover } from "../workers/move-worker.ts";
import { StallDetector } from "../workers/stall-detector.ts";
import { DecisionLog } from "../observe/decision-log.ts";
import { WorkerHistory } from "../workers/worker-history.ts";
import { WorkerTokens } from "../workers/worker-tokens.ts";

const LOOK_AGAIN_MS = 1_000;

export interface ContextOptions {
  readonly store: Store;
  /** Steps on that store; by default they are opened. */
  readonly steps?: Steps;
  /** The endpoints for which this process decides, for steps that are opened here; default: all. */
  readonly ownership?: Ownership;
  /** The directory of those steps; by default one is made. */
  readonly directory?: Directory;
  /** Real time. Service time is ahead of it by all advances of the clock, in this run and earlier ones. */
  readonly clock: Clock;
  /** The clock that service time follows; default `clock`. */
  readonly serviceClock?: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  /** Encrypts stored secrets; default: a new key that is lost with the engine. */
  readonly secretKey?: SecretKey;
  /** Default: leases of 15 s, renewed every 5 s. */
  readonly lease?: LeaseTerms;
  /** Default: new counters. */
  readonly metrics?: ServiceMetrics;
  /** Default: an empty feed. */
  readonly logs?: LogFeed;
  /** Default: a readiness without any reports. */
  readonly readiness?: Readiness;
  /** Default: no traces are collected. */
  readonly tracer?: Tracer | undefined;
  /** Default: `DEFAULT_PRICES`. */
  readonly prices?: PriceTable;
  /** Called after the commit with each ended attempt, and with each job that ended without an attempt. */
  readonly attemptEnded?: (end: AttemptEnd) => void;
  /** Called with the description that a worker sends of its handler. */
  readonly handlerTold?: HandlerTold;
  readonly endpointDeleted?: (endpointId: string) => void;
  /** Keeps the files of network volumes; by default volumes have none. */
  readonly volumeFiles?: VolumeFiles;
  /** The memory limit of a running pod, in whole GiB; default: not known. */
  readonly podMemoryInGb?: (pod: Pod) => number | undefined;
  /** The present use of this machine's GPUs; default: not known. Must not reject. */
  readonly gpuUse?: () => Promise<readonly GpuUse[]>;
  /** The GPUs of this machine; default: none is known. Must not reject. */
  readonly findGpus?: () => Promise<GpuInventory>;
}

/** The parts of an engine that does not run yet. */
export interface OpenContext {
  readonly context: EngineContext;
  readonly signals: EngineSignals;
  /** The writes of the start, which wait while the disk is full; ends with the engine. */
  readonly startWork: StartWork;
}

/** Resolves with the parts. Leaves the data of earlier runs unchanged. Throws the errors of the store. */
export async function openContext(options: ContextOptions): Promise<OpenContext> {
  const { store, random, log, tracer, lease = DEFAULT_LEASE_TERMS, clock: realClock } = options;
  const { ownership: given, metrics = new ServiceMetrics(), attemptEnded } = options;
  const steps =
    options.steps ?? (await openSteps(store, { log, clock: realClock, ownership: given }));
  const { ownership } = steps;
  const clock = new ServiceClock(options.serviceClock ?? realClock, storedOffsetMs(steps));
  const directory = options.directory ?? new Directory(steps.records);
  const { signals, events, watchers, onDefect } = openListeners(clock, random, log);
  const logs = options.logs ?? new LogFeed(() => realClock.now(), onDefect);
  const raisers = raisersOf(signals);
  const observed = { attemptEnded, clock, directory, events, logs, metrics, ownership, tracer };
  const parts = {
    ...{ store, steps, ownership, clock, realClock, random, log, lease, directory, tracer },
    ...{ events, logs, metrics, watchers, ...openHistory(observed) },
    jobPayloads: (job: Job) => readPayloads(context, job),
    early: new EarlyHandOvers({
      ...{ steps, ownership, clock, realClock, lease },
      send: (assignments) => sendAssignments(context, assignments),
      forgetSpan: (job) => context.spans?.forget(job),
      contactLost: (worker) => mover.loseContact(worker),
      holdEnded: (endpointId) => raisers.endpointChanged(endpointId),
    }),
    pendingWork: new PendingWork(() => steps.storing),
    stallDetector: new StallDetector(realClock, lease, log, steps),
    readiness: options.readiness ?? new Readiness(),
    dueTimer: new DueTimer(clock, signals.jobsDue.raise),
    usage: new UsageMeter({ steps, ownership, clock, realClock, random, log }),
    ...startingAnew(options),
    ...raisers,
    endpointDeleted: (endpointId: string) => {
      parts.tell({ type: "endpoint", endpointId, change: "deleted" });
      metrics.retainEndpoints(directory.endpointIds());
      options.endpointDeleted?.(endpointId);
    },
  };
  const mover = new WorkerMover({ ...parts, bill: (worker) => beginToBill(context, worker) });
  const balancer = new Balancer({ ...parts, mover });
  const context: EngineContext = {
    ...{ ...parts, mover, balancer },
    earlyChunks: new EarlyChunks(parts),
  };
  releaseSteps(context, { signals, onDefect });
  signals.jobsChanged.on(new InputsAhead(context).consider);
  return { context, signals, startWork: new StartWork(realClock, log) };
}

/** The parts that rest on no other part: given ones, or new ones. */
function startingAnew(options: ContextOptions) {
  const { clock: realClock, handlerTold, prices = DEFAULT_PRICES, random } = options;
  const room = () => new BytesInFlight(realClock, IN_FLIGHT_LIMITS);
  return {
    ...{ deliveries: new Turns(), hinted: new ToldVersions(), tokens: new WorkerTokens() },
    ...{
      inFlight: room(),
      sending: room(),
      receiving: room(),
      showing: room(),
      podRuns: new Map<string, PodRun>(),
      prices,
    },
    schemas: new HandlerSchemaBook(handlerTold),
    secretKey: options.secretKey ?? fixedSecretKey(random.bytes(SECRET_KEY_BYTES)),
    ...machineOf(options),
  };
}

/** The machine's part of the engine's options, with defaults. */
function machineOf({
  volumeFiles = NO_VOLUME_FILES,
  podMemoryInGb = () => undefined,
  gpuUse = async () => [],
  findGpus = async () => ({ kind: "unknown", reason: "nobody was asked" }),
}: ContextOptions) {
  return { volumeFiles, podMemoryInGb, gpuUse, findGpus };
}

function releaseSteps(
  parts: EngineContext,
  { signals, onDefect }: Pick<ReleaseParts, "onDefect"> & Pick<OpenContext, "signals">,
): void {
  const { log, pendingWork, tell } = parts;
  const lookLater = looksLater(parts);
  const releasing: ReleaseParts = {
    ...parts,
    onDefect,
    send: (assignments) => sendAssignments(parts, assignments),
    readAhead(endpointId) {
      const read = assignFromStore(parts, endpointId).catch((error: unknown) => {
        if (isMoved(error)) return;
        log.error({ endpointId, err: error }, "waiting jobs could not be read");
        lookLater([endpointId]);
      });
      void pendingWork.track("waiting jobs", read);
    },
    jobsChanged: signals.jobsChanged.raise,
    releaseDelivery: signals.laterDelivery.raise,
  };
  parts.steps.releaseBy({
    release(effects) {
      tell({ type: "stored", steps: effects.length });
      releaseEffects(releasing, effects);
    },
    failed: (effects) =>
      lookLater(effects.flatMap(({ changedEndpoints }) => [...changedEndpoints])),
    lost: (lost, loads) => signals.partitionsLost.raise(parts.ownership.heldSince(lost, loads)),
    learned: signals.recordsChanged.raise,
    track: (what, work) => void pendingWork.track(what, work),
  });
}

/**
 * Returns a function that looks at endpoints again after a pause. A failed write or read is tried again only then, because the
 * disk may be full.
 */
function looksLater({ realClock, endpointChanged }: TimePort & WakePort) {
  const endpointIds = new Set<string>();
  return (changed: readonly string[]) => {
    const isArmed = endpointIds.size > 0;
    for (const id of changed) endpointIds.add(id);
    if (isArmed || endpointIds.size === 0) return;
    realClock.wakeAt(realClock.now() + LOOK_AGAIN_MS, () => {
      const ids = [...endpointIds];
      endpointIds.clear();
      for (const id of ids) endpointChanged(id);
    });
  };
}

/** The signals. A guard around each listener keeps its errors from all others. */
function openListeners(clock: Clock, random: Random, log: EngineLog) {
  const defects = new Defects(log);
  return {
    signals: createSignals(defects.of("a part of the engine failed to take a signal")),
    events: new EventFeed(clock, random, defects.of("a follower of events failed")),
    watchers: new JobWatchers(defects.of("a listener of a job failed")),
    onDefect: defects.of("an effect of a stored step was lost"),
  };
}

/** The workers, and the observers of events. */
function openHistory(parts: HistoryParts) {
  const { attemptEnded, clock, directory, events, logs, metrics, ownership, tracer } = parts;
  const fleet: Fleet = new Fleet(({ id: workerId, endpointId, state }, states) => {
    // Workers of an endpoint that was deleted, or has moved, still have to end.
    const isKnown = directory.findEndpoint(endpointId) && ownership.holds(endpointId);
    tell({ type: "worker", endpointId, workerId, state, states: isKnown ? states : undefined });
  }, ownership);
  const series = new ServiceSeries(clock);
  const decisions = new DecisionLog();
  const workerHistory = new WorkerHistory(clock, fleet);
  const spans = tracer && new JobSpans(tracer, () => clock.now());
  const ofJobs = [metrics, series, workerHistory, spans, events];
  const ofOthers = [...ofJobs, decisions];
  const tell: Tell = (fact) => {
    if (fact.type === "stored") return metrics.take(fact);
    for (const observer of fact.type === "job" ? ofJobs : ofOthers) observer?.take(fact);
    if (fact.type !== "job" || fact.ended === undefined) return;
    if (isTrouble(fact.ended)) logs.attemptEnded(fact.ended);
    attemptEnded?.(fact.ended);
  };
  return { series, decisions, fleet, workerHistory, spans, tell };
}

type HistoryParts = Pick<
  EngineContext,
  "clock" | "directory" | "events" | "logs" | "metrics" | "ownership" | "tracer"
> & { readonly attemptEnded: ContextOptions["attemptEnded"] | undefined };
