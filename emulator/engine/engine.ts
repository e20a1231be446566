/** The engine as one part: the context of the use cases, the clock-driven rules and the workers, with a start and a stop. */
import { DEFAULT_PRICES, type PriceTable } from "../core/billing/prices.ts";
import type { Clock, Random } from "../core/time/clock.ts";
import type { GpuInventory } from "../core/workers/gpu-allocation.ts";
import { ServiceMetrics } from "../core/observe/metrics/service-metrics.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms } from "../core/jobs/lease-terms.ts";
import type { HealthProbe } from "../balance/health-probe.ts";
import { SECRET_KEY_BYTES } from "../core/resources/sealed-secret.ts";
import type { ServedEndpoint, ServedResources } from "../core/resources/served-endpoint.ts";
import type { LockDevice } from "../core/workers/device-lock.ts";
import type { Launcher } from "../launch/launcher.ts";
import type { PodLauncher } from "../launch/pod-launcher.ts";
import { fixedSecretKey, type SecretKey } from "../secrets/secret-key.ts";
import type { PayloadDamagedError, Store } from "../store/store.ts";
import type { Tracer } from "../trace/tracer.ts";
import type { WebhookSender } from "../webhooks/webhook-sender.ts";
import { PendingWork } from "./time/pending-work.ts";
import { storedOffsetMs } from "./time/advance-clock.ts";
import { DueTimer } from "./time/due-timer.ts";
import { Balancer } from "./balancing/balancer.ts";
import { BytesInFlight, IN_FLIGHT_LIMITS } from "./limits/bytes-in-flight.ts";
import type { EngineContext } from "./context.ts";
import type { EngineLog } from "./observe/engine-log.ts";
import { checkData } from "./jobs/check-data.ts";
import { endDamaged } from "./jobs/damaged-data.ts";
import { WebhookDelivery } from "./webhooks/deliver-webhooks.ts";
import { EndpointDirectory } from "./resources/endpoint-directory.ts";
import { EventFeed } from "./observe/event-feed.ts";
import { expireDue } from "./jobs/expire.ts";
import type { WorkerHandle } from "./workers/worker-handle.ts";
import { type CountedState, Fleet } from "./workers/fleet.ts";
import { GpuPool } from "./workers/gpus/gpu-pool.ts";
import { requeueOrphans } from "./jobs/requeue.ts";
import { JobSpans } from "./observe/job-spans.ts";
import { JobWatchers } from "./jobs/read/job-watchers.ts";
import { LogFeed } from "./observe/log-feed.ts";
import {
  NetworkVolumeDirectory,
  NO_VOLUME_FILES,
  type VolumeFiles,
} from "./resources/network-volume-directory.ts";
import { PodKeeper } from "./pods/pod-keeper.ts";
import { checkCredentials } from "./resources/registry-credentials.ts";
import { serveResources } from "./resources/serve-resources.ts";
import { serve } from "./resources/serve.ts";
import { ServiceClock } from "./time/service-clock.ts";
import { StartWork } from "./start-work.ts";
import { StallDetector } from "./workers/stall-detector.ts";
import { releaseEffects } from "./release-effects.ts";
import { Steps } from "./steps.ts";
import { UsageMeter } from "./billing/usage-meter.ts";
import { WorkerManager } from "./workers/worker-manager.ts";

export interface EngineOptions {
  readonly store: Store;
  /** Real time. Service time is ahead of it by what it was advanced, in this run and earlier ones. */
  readonly clock: Clock;
  /** What service time goes by; default `clock`. */
  readonly serviceClock?: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  readonly launchers: readonly Launcher[];
  /** By default pods are not run, only kept as what is wanted. */
  readonly podLauncher?: PodLauncher;
  /** By default no server is healthy ever. */
  readonly healthProbe?: HealthProbe;
  /** What stored secrets are encrypted with; by default a new key that is lost with the engine. */
  readonly secretKey?: SecretKey;
  readonly webhookSender: WebhookSender;
  /** Which GPUs this machine has, asked when the first worker wants one; by default that is not known. */
  readonly findGpus?: () => Promise<GpuInventory>;
  /** Locks a GPU against other emulators of this machine; by default there are none. */
  readonly lockDevice?: LockDevice;
  /** Default: leases of 15 s, renewed every 5 s. */
  readonly lease?: LeaseTerms;
  /** Where work is counted, if something was counted already. */
  readonly metrics?: ServiceMetrics;
  /** Where lines of the log are kept, if there were some already. */
  readonly logs?: LogFeed;
  /** By default nobody collects traces. */
  readonly tracer?: Tracer | undefined;
  /** What things cost on the bills; by default `DEFAULT_PRICES`. */
  readonly prices?: PriceTable;
  /** Called with an endpoint that is no more; by default nobody wants to know. */
  readonly endpointDeleted?: (endpointId: string) => void;
  /** Keeps the files of network volumes; by default volumes have none. */
  readonly volumeFiles?: VolumeFiles;
}

export interface RunningEngine {
  readonly context: EngineContext;
  readonly workers: WorkerManager;
  readonly pods: PodKeeper;
  readonly webhooks: WebhookDelivery;
  /** What the start has to write, which waits for room if there is none; ends with the engine. */
  readonly startWork: StartWork;
  /** Creates or updates endpoints together with their templates and what they share, as `serve` and `serveResources` say. */
  serve(endpoints: readonly ServedEndpoint[], resources?: Partial<ServedResources>): Promise<void>;
  /** Begins to start workers and pods and to apply what is due. To be called as the last of `startWork`. */
  start(): void;
  /** To be called when a launcher is willing that was not. */
  considerAll(): void;
  /** Ends all workers and pods at once; may hasten a `stop` that drains. */
  killAll(): void;
  /** Ends the workers, the pods and the clock-driven rules. */
  stop(how: "drain" | "kill"): Promise<void>;
}

/** Makes the engine on an open store: what an earlier run left in progress is put back into the queue, if there is room. */
export async function createEngine(options: EngineOptions): Promise<RunningEngine> {
  const { findGpus = unknownGpus, lockDevice = nobodyElse, healthProbe } = options;
  const startWork = new StartWork(options.clock, options.log);
  const context = await createContext(options, startWork, {
    podChanged: (podId) => pods.consider(podId),
    endpointChanged: (endpointId) => workers.consider(endpointId),
    webhookDue: () => webhooks.wake(),
    inputDamaged: (jobId, damage) => endInTheBackground(context, jobId, damage),
  });
  const gpus = new GpuPool({
    find: findGpus,
    lock: lockDevice,
    wake: (id) => (context.directory.findEndpoint(id) ? workers : pods).consider(id),
    clock: context.realClock,
    log: context.log,
  });
  const { launchers, podLauncher } = options;
  const workers: WorkerManager = new WorkerManager(context, { launchers, gpus, healthProbe });
  const pods: PodKeeper = new PodKeeper(context, podLauncher, gpus);
  const webhooks = new WebhookDelivery(context, options.webhookSender);
  await pickUp(context, startWork);
  return runningEngine({ context, workers, pods, webhooks, startWork }, gpus);
}

function runningEngine(
  parts: Pick<RunningEngine, "context" | "workers" | "pods" | "webhooks" | "startWork">,
  gpus: GpuPool,
): RunningEngine {
  const { context, workers, pods, webhooks, startWork } = parts;
  return {
    ...parts,
    serve: (endpoints, resources) => serveWith(context, endpoints, resources),
    start() {
      workers.start();
      pods.start();
      context.dueTimer.aim(context.clock.now());
      webhooks.start();
      void checkData(context);
    },
    considerAll() {
      workers.considerAll();
      pods.considerAll();
    },
    killAll() {
      workers.killAll();
      pods.killAll();
    },
    async stop(how) {
      await startWork.stop();
      await Promise.all([workers.stop(how), pods.stop(how)]);
      gpus.close();
      await context.usage.stop();
      context.dueTimer.stop();
      // Last: jobs that finished meanwhile are told as well.
      await webhooks.stop(how);
    },
  };
}

async function serveWith(
  context: EngineContext,
  endpoints: readonly ServedEndpoint[],
  { networkVolumes = [], registryAuths = [], templates = [] }: Partial<ServedResources> = {},
): Promise<void> {
  await serveResources(context, { networkVolumes, registryAuths, templates });
  await serve(context, endpoints);
}

/** Deals with what earlier runs left in the store. */
async function pickUp(context: EngineContext, startWork: StartWork): Promise<void> {
  await checkCredentials(context);
  await startWork.do(() => context.usage.load());
  await startWork.do(() => requeueOrphans(context));
}

function nobodyElse() {
  return { release: () => undefined };
}

async function unknownGpus(): Promise<GpuInventory> {
  return { kind: "unknown", reason: "nobody was asked" };
}

async function createContext(
  options: EngineOptions,
  startWork: StartWork,
  wakes: Pick<EngineContext, "podChanged" | "endpointChanged" | "webhookDue" | "inputDamaged">,
): Promise<EngineContext> {
  const { store, random, log, tracer, lease = DEFAULT_LEASE_TERMS } = options;
  const realClock = options.clock;
  const clock = new ServiceClock(options.serviceClock ?? realClock, await storedOffsetMs(options));
  const directory = await EndpointDirectory.load(store);
  const pendingWork = new PendingWork();
  const events = new EventFeed(clock);
  const metrics = options.metrics ?? new ServiceMetrics();
  const due = () => void pendingWork.track("what is due for jobs", applyDue(context, startWork));
  const dueTimer = new DueTimer(clock, due);
  const steps = new Steps({
    store,
    log,
    release: (effects) => releaseEffects(context, effects),
    failed: ({ changedEndpoints }) => changedEndpoints.forEach(wakes.endpointChanged),
  });
  const context: EngineContext = {
    steps,
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
    pendingWork,
    dueTimer,
    usage: new UsageMeter({ store, clock, realClock, random, log }),
    prices: options.prices ?? DEFAULT_PRICES,
    fleet: new Fleet((worker, state) => tellOfWorker(events, worker, state)),
    balancer: new Balancer(() => context),
    inFlight: new BytesInFlight(realClock, IN_FLIGHT_LIMITS),
    watchers: new JobWatchers(),
    podPorts: new Map(),
    podMemoryInGb: (pod) => options.podLauncher?.memoryInGb(pod),
    ...wakes,
    endpointDeleted: (endpointId) => {
      events.publish({ type: "endpoint", endpointId, change: "deleted" });
      metrics.retainEndpoints(directory.endpointIds());
      options.endpointDeleted?.(endpointId);
    },
  };
  return context;
}

/** Never rejects: what could not be applied is tried again. */
async function applyDue(context: EngineContext, startWork: StartWork): Promise<void> {
  const { dueTimer, clock, log } = context;
  // A lease of a worker that is gone is handed back, and must not run out before.
  if (startWork.isWaiting) {
    dueTimer.aim(clock.now() + 1_000);
    return;
  }
  try {
    await expireDue(context);
  } catch (error) {
    log.error({ err: error }, "what is due could not be applied; the next try is in a second");
    dueTimer.aim(clock.now() + 1_000);
  }
}

function endInTheBackground(
  context: EngineContext,
  jobId: string,
  damage: PayloadDamagedError,
): void {
  const ended = endDamaged(context, jobId, damage).catch((error: unknown) =>
    context.log.error({ jobId, err: error }, "a job with damaged data could not be ended"),
  );
  void context.pendingWork.track("a job with a damaged input", ended);
}

function tellOfWorker(events: EventFeed, worker: WorkerHandle, state: CountedState): void {
  const { id: workerId, endpointId } = worker;
  events.publish({ type: "worker", endpointId, workerId, state });
}
