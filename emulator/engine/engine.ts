/** The engine as one part: workers, pods, webhooks and the timer of the job rules, with a start and a stop. */
import type { HealthProbe } from "../balance/health-probe.ts";
import type {
  ServedEndpoint,
  ServedResources,
} from "../core/resources/endpoints/served-endpoint.ts";
import type { LockDevice } from "../core/workers/device-lock.ts";
import type { Launcher } from "../launch/launcher.ts";
import type { PodLauncher } from "../launch/pod-launcher.ts";
import type { WebhookSender } from "../webhooks/webhook-sender.ts";
import type { EngineContext } from "./parts/engine-parts.ts";
import type { InputDamage } from "./steps/wake-port.ts";
import { HealthWatch } from "./balancing/health-watch.ts";
import { checkData } from "./jobs/check-data.ts";
import { endDamaged } from "./jobs/damaged-data.ts";
import { putBackUnsent } from "./jobs/put-back-unsent.ts";
import type { Assignment } from "./steps/effects.ts";
import { expireDue } from "./jobs/expire-jobs-and-leases.ts";
import { RecoveredJobs } from "./jobs/recovered-jobs.ts";
import { tellOfJobsLeft } from "./ownership/gain-endpoints.ts";
import { type ContextOptions, openContext, type OpenContext } from "./parts/open-parts.ts";
import { isMoved } from "./steps/state/endpoint-moved.ts";
import { PartitionsOwner } from "./ownership/partitions-owner.ts";
import { PodKeeper } from "./pods/pod-keeper.ts";
import { checkCredentials } from "./resources/registry-credentials.ts";
import { serve } from "./resources/endpoints/serve-endpoints.ts";
import { serveResources } from "./resources/serve-resources.ts";
import type { StartWork } from "./parts/start-work.ts";
import { WebhookDelivery } from "./webhooks/deliver-webhooks.ts";
import { RecoveredWorkers } from "./workers/recovered-workers.ts";
import { GpuPool } from "./workers/gpus/gpu-pool.ts";
import { MemoryWatch } from "./workers/memory-watch.ts";
import { WorkerManager } from "./workers/worker-manager.ts";
import { WorkerStarter } from "./workers/worker-starter.ts";
import { WorkerWatch } from "./workers/worker-watch.ts";

export interface EngineOptions {
  readonly launchers: readonly Launcher[];
  /** By default pods are only records, and none is run. */
  readonly podLauncher?: PodLauncher;
  /** By default no server ever becomes healthy. */
  readonly healthProbe?: HealthProbe;
  readonly webhookSender: WebhookSender;
  /** Locks a GPU against other emulators of this machine; by default there are none. */
  readonly lockDevice?: LockDevice;
}

export interface RunningEngine {
  readonly context: EngineContext;
  readonly workers: WorkerManager;
  readonly pods: PodKeeper;
  readonly webhooks: WebhookDelivery;
  /** The writes of the start, which wait while the disk is full; ends with the engine. */
  readonly startWork: StartWork;
  /** Creates or updates endpoints with their templates and shared resources; see `serve` and `serveResources`. */
  serve(endpoints: readonly ServedEndpoint[], resources?: Partial<ServedResources>): Promise<void>;
  /**
   * Begins to start workers and pods and to apply the job rules. Call it as the last of `startWork`. Where several processes share
   * the store, resolves when this one has its first partitions of it.
   */
  start(): Promise<void>;
  /** Kills all workers and pods; also during a `stop` that drains. */
  killAll(): void;
  /** Ends the workers, the pods, the job rules and the webhook calls. */
  stop(how: "drain" | "kill"): Promise<void>;
}

export async function openEngine(options: ContextOptions & EngineOptions): Promise<RunningEngine> {
  return createEngine(await openContext(options), options);
}

/** Makes the engine of its parts. Jobs that an earlier run left in progress go back to the queue, if the disk has room. */
export async function createEngine(
  { context, signals, startWork }: OpenContext,
  { launchers, podLauncher, healthProbe, webhookSender, lockDevice }: EngineOptions,
): Promise<RunningEngine> {
  const { decisions, directory, endpointChanged, podChanged, realClock, log, schemas } = context;
  const { ownership } = context;
  const gpus = new GpuPool({
    find: context.findGpus,
    lock: lockDevice ?? noOtherEmulator,
    wake: (id) => (directory.findEndpoint(id) ? endpointChanged : podChanged)(id),
    clock: realClock,
    log,
  });
  const health = new HealthWatch(context, healthProbe);
  const memory = new MemoryWatch(context);
  const starter = new WorkerStarter(context, { launchers, gpus, health, memory });
  const watch = new WorkerWatch(context);
  const workers = new WorkerManager(context, { decisions, gpus, ownership, starter, watch });
  const pods = new PodKeeper(context, podLauncher, gpus);
  const webhooks = new WebhookDelivery(context, webhookSender);
  const ended: WorkerManager["ended"] = (worker, exit) => workers.ended(worker, exit);
  const recoveredWorkers = new RecoveredWorkers(context, { launchers, starter, ended });
  const recoveredJobs = new RecoveredJobs(context, recoveredWorkers);
  const owner = new PartitionsOwner(context, { recoveredJobs, workers, pods, webhooks, startWork });
  signals.partitionsLost.on((partitions) => owner.lost(partitions));
  signals.recordsChanged.on((changes) => owner.learned(changes));
  signals.endpointChanged.on((endpointId) => {
    owner.look();
    if (!directory.findEndpoint(endpointId)) schemas.forget(endpointId);
    workers.consider(endpointId);
  });
  if (ownership.isShared) signals.jobsChanged.on(() => owner.look());
  signals.jobsChanged.on(workers.jobsChanged);
  signals.podChanged.on((podId) => pods.consider(podId));
  signals.webhookDue.on(() => webhooks.wake());
  signals.laterDelivery.on((jobId) => webhooks.release(jobId));
  signals.jobsDue.on(() => {
    void context.pendingWork.track("what is due for jobs", applyDue(context, startWork));
  });
  signals.inputDamaged.on((damage) => endInTheBackground(context, damage));
  signals.notSent.on((assignment) => putBackInTheBackground(context, assignment));
  signals.launcherWilling.on(() => {
    workers.considerAll();
    pods.considerAll();
  });
  signals.workersFound.on(() => recoveredJobs.found());
  await resume(context, startWork, recoveredJobs);
  const running = { context, workers, pods, webhooks, startWork };
  return runningEngine(running, { recoveredJobs, gpus, memory, owner });
}

function runningEngine(
  parts: Pick<RunningEngine, "context" | "workers" | "pods" | "webhooks" | "startWork">,
  {
    recoveredJobs,
    gpus,
    memory,
    owner,
  }: {
    readonly recoveredJobs: RecoveredJobs;
    readonly gpus: GpuPool;
    readonly memory: MemoryWatch;
    readonly owner: PartitionsOwner;
  },
): RunningEngine {
  const { context, workers, pods, webhooks, startWork } = parts;
  return {
    ...parts,
    serve: (endpoints, resources) => serveWith(context, endpoints, resources),
    async start() {
      if (context.ownership.isShared) await context.ownership.begin(owner);
      else pods.start();
      workers.start();
      context.dueTimer.aim(context.clock.now());
      webhooks.start();
      context.readiness.started();
      void checkData(context);
    },
    killAll() {
      workers.killAll();
      pods.killAll();
    },
    async stop(how) {
      await context.ownership.end(how === "drain" ? "stop" : "now");
      await startWork.stop();
      await Promise.all([workers.stop(how), pods.stop(how)]);
      recoveredJobs.stop();
      gpus.close();
      memory.stop();
      await context.usage.stop();
      context.dueTimer.stop();
      // The webhooks start last, because jobs may have finished meanwhile.
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

/** Settles what earlier runs left in the store. */
async function resume(
  context: EngineContext,
  startWork: StartWork,
  recoveredJobs: RecoveredJobs,
): Promise<void> {
  await checkCredentials(context);
  // Running and waiting jobs come with the partitions that this process gets.
  if (context.ownership.isShared) return;
  tellOfJobsLeft(context);
  await startWork.do(() => context.usage.load());
  const running = context.steps.jobsInMemory(({ status }) => status === "IN_PROGRESS");
  await startWork.do(() => recoveredJobs.settle(running));
}

function noOtherEmulator() {
  return { release: () => undefined };
}

/** Never rejects. A recovery that fails is tried again. */
async function applyDue(context: EngineContext, startWork: StartWork): Promise<void> {
  const { dueTimer, clock, log } = context;
  // The start puts the jobs of recovered workers back into the queue; their leases must not run out before.
  if (startWork.isWaiting) {
    dueTimer.aim(clock.now() + 1_000);
    return;
  }
  try {
    await expireDue(context);
  } catch (error) {
    log.error({ err: error }, "due job rules could not be applied; the next try is in a second");
    dueTimer.aim(clock.now() + 1_000);
  }
}

function endInTheBackground(context: EngineContext, { jobId, damage }: InputDamage): void {
  const ended = endDamaged(context, jobId, damage).catch((error: unknown) =>
    context.log.error({ jobId, err: error }, "a job with damaged data could not be ended"),
  );
  void context.pendingWork.track("a job with a damaged input", ended);
}

function putBackInTheBackground(context: EngineContext, assignment: Assignment): void {
  const put = putBackUnsent(context, assignment).catch((error: unknown) => {
    // The process that has the job's endpoint now continues with the job.
    if (isMoved(error)) return;
    const jobId = assignment.job.id;
    context.log.error({ jobId, err: error }, "a job could not be put back; its lease will run out");
  });
  void context.pendingWork.track("a job that was not sent", put);
}
