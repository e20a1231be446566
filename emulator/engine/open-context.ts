/** Makes the parts of the engine on an open store; nothing runs yet. */
import { DEFAULT_PRICES, type PriceTable } from "../core/billing/prices.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms } from "../core/jobs/lease-terms.ts";
import { ServiceMetrics } from "../core/observe/metrics/service-metrics.ts";
import type { Pod } from "../core/pods/pod.ts";
import { SECRET_KEY_BYTES } from "../core/resources/sealed-secret.ts";
import type { Clock, Random } from "../core/time/clock.ts";
import { fixedSecretKey, type SecretKey } from "../secrets/secret-key.ts";
import type { Store } from "../store/store.ts";
import type { Tracer } from "../trace/tracer.ts";
import { Balancer } from "./balancing/balancer.ts";
import { beginToBill } from "./billing/bill-worker.ts";
import { UsageMeter } from "./billing/usage-meter.ts";
import type { EngineContext, InputDamage } from "./context.ts";
import { sendAssignment } from "./jobs/assign.ts";
import { JobWatchers } from "./jobs/read/job-watchers.ts";
import { BytesInFlight, IN_FLIGHT_LIMITS } from "./limits/bytes-in-flight.ts";
import type { EngineLog } from "./observe/engine-log.ts";
import { EventFeed } from "./observe/event-feed.ts";
import { JobSpans } from "./observe/job-spans.ts";
import { LogFeed } from "./observe/log-feed.ts";
import { type ReleaseParts, releaseEffects } from "./release-effects.ts";
import { EndpointDirectory } from "./resources/endpoint-directory.ts";
import {
  NetworkVolumeDirectory,
  NO_VOLUME_FILES,
  type VolumeFiles,
} from "./resources/network-volume-directory.ts";
import { Signal } from "./signal.ts";
import { StartWork } from "./start-work.ts";
import { Steps } from "./steps.ts";
import { storedOffsetMs } from "./time/advance-clock.ts";
import { DueTimer } from "./time/due-timer.ts";
import { PendingWork } from "./time/pending-work.ts";
import { ServiceClock } from "./time/service-clock.ts";
import { Fleet } from "./workers/fleet.ts";
import { WorkerMover } from "./workers/move-worker.ts";
import { StallDetector } from "./workers/stall-detector.ts";
import type { WorkerHandle } from "./workers/worker-handle.ts";
import { WorkerTokens } from "./workers/worker-tokens.ts";

export interface ContextOptions {
  readonly store: Store;
  /** The store's endpoints and templates, if they were read already. */
  readonly directory?: EndpointDirectory;
  /** Real time. Service time is ahead of it by what it was advanced, in this run and earlier ones. */
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
  /** Default: an empty one. */
  readonly logs?: LogFeed;
  /** Default: no traces are collected. */
  readonly tracer?: Tracer | undefined;
  /** Default: `DEFAULT_PRICES`. */
  readonly prices?: PriceTable;
  /** Called with a deleted endpoint. */
  readonly endpointDeleted?: (endpointId: string) => void;
  /** Keeps the files of network volumes; by default volumes have none. */
  readonly volumeFiles?: VolumeFiles;
  /** The memory limit of a running pod, in whole GiB; default: not known. */
  readonly podMemoryInGb?: (pod: Pod) => number | undefined;
}

/** The parts of an engine that does not run yet. */
export interface OpenContext {
  readonly context: EngineContext;
  readonly signals: EngineSignals;
  /** The writes of the start, which wait while the disk is full; ends with the engine. */
  readonly startWork: StartWork;
}

/** The signals that the running parts of the engine listen to. */
export interface EngineSignals {
  /** An endpoint whose queue, settings or workers changed. */
  readonly endpointChanged: Signal<string>;
  /** A pod that was made, changed or deleted. */
  readonly podChanged: Signal<string>;
  /** A webhook call became due. */
  readonly webhookDue: Signal;
  /** The timer of the job rules fired. */
  readonly jobsDue: Signal;
  /** A job that cannot be handed to its worker. */
  readonly inputDamaged: Signal<InputDamage>;
  /** A launcher can start workers or pods that it could not before. */
  readonly launcherWilling: Signal;
}

/** Resolves with the parts; nothing that earlier runs left is changed. Throws what the store throws. */
export async function openContext(options: ContextOptions): Promise<OpenContext> {
  const { store, random, log, tracer, lease = DEFAULT_LEASE_TERMS, clock: realClock } = options;
  const signals = createSignals();
  const clock = new ServiceClock(options.serviceClock ?? realClock, await storedOffsetMs(options));
  const directory = options.directory ?? (await EndpointDirectory.load(store));
  const events = new EventFeed(clock);
  const metrics = options.metrics ?? new ServiceMetrics();
  const parts = {
    store,
    clock,
    realClock,
    random,
    secretKey: options.secretKey ?? fixedSecretKey(random.bytes(SECRET_KEY_BYTES)),
    log,
    lease,
    stallDetector: new StallDetector(realClock, lease, log),
    directory,
    volumes: await NetworkVolumeDirectory.load(store),
    volumeFiles: options.volumeFiles ?? NO_VOLUME_FILES,
    events,
    logs: options.logs ?? new LogFeed(() => realClock.now()),
    metrics,
    tracer,
    spans: tracer && new JobSpans(tracer, () => clock.now()),
    pendingWork: new PendingWork(),
    dueTimer: new DueTimer(clock, signals.jobsDue.raise),
    usage: new UsageMeter({ store, clock, realClock, random, log }),
    prices: options.prices ?? DEFAULT_PRICES,
    fleet: new Fleet((worker) => publishState(events, worker)),
    tokens: new WorkerTokens(),
    inFlight: new BytesInFlight(realClock, IN_FLIGHT_LIMITS),
    watchers: new JobWatchers(),
    podPorts: new Map(),
    podMemoryInGb: options.podMemoryInGb ?? (() => undefined),
    ...raisersOf(signals),
    endpointDeleted: (endpointId: string) => {
      events.publish({ type: "endpoint", endpointId, change: "deleted" });
      metrics.retainEndpoints(directory.endpointIds());
      options.endpointDeleted?.(endpointId);
    },
  };
  const steps = stepsOf(parts);
  const mover = new WorkerMover({ ...parts, bill: (worker) => beginToBill(parts, worker) });
  const context = { ...parts, steps, mover, balancer: new Balancer({ ...parts, mover }) };
  return { context, signals, startWork: new StartWork(realClock, log) };
}

function stepsOf(parts: Omit<EngineContext, "balancer" | "mover" | "steps">): Steps {
  const { store, log, events, metrics, spans } = parts;
  const releasing: ReleaseParts = {
    ...parts,
    send: (assignment) => sendAssignment(parts, assignment),
    observe({ job, move }) {
      events.publish(move);
      metrics.jobMoved(job, move);
      spans?.moved(job, move);
    },
  };
  return new Steps({
    store,
    log,
    release: (effects) => releaseEffects(releasing, effects),
    failed: ({ changedEndpoints }) => changedEndpoints.forEach(parts.endpointChanged),
  });
}

function createSignals(): EngineSignals {
  return {
    endpointChanged: new Signal(),
    podChanged: new Signal(),
    webhookDue: new Signal(),
    jobsDue: new Signal(),
    inputDamaged: new Signal(),
    launcherWilling: new Signal(),
  };
}

/** The signals as functions that use cases call. */
function raisersOf({ endpointChanged, podChanged, webhookDue, inputDamaged }: EngineSignals) {
  return {
    endpointChanged: endpointChanged.raise,
    podChanged: podChanged.raise,
    webhookDue: webhookDue.raise,
    inputDamaged: inputDamaged.raise,
  };
}

function publishState(events: EventFeed, worker: WorkerHandle): void {
  const { id: workerId, endpointId, state } = worker;
  events.publish({ type: "worker", endpointId, workerId, state });
}
