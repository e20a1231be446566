/** Starts workers: chooses a launcher and GPUs, makes a token, and records how they end. */
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import { initLimitMs, initLimitProblem } from "../../core/workers/init-limit.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/resources/templates/template.ts";
import { podWorkerId } from "../../core/workers/pod-worker-id.ts";
import { digestOf } from "../../core/access/key-ring.ts";
import type {
  FoundWorker,
  LaunchedWorker,
  Launcher,
  OutlivingWorkers,
  WorkerExit,
} from "../../launch/launcher.ts";
import type { HealthWatch } from "../balancing/health-watch.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { GpuPool } from "./gpus/gpu-pool.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import { WorkerHandle } from "./worker-handle.ts";

/** Maximum time before a launcher that refused is asked again. */
const LAUNCHER_RETRY_MS = 60_000;

export interface Refusal {
  /** The reason as a sentence. Undefined if it will be known in a moment. */
  readonly reason: string | undefined;
  /** When to try again, ms from now. Undefined if the endpoint waits in the queue for GPUs. */
  readonly retryMs?: number;
}

export interface WorkerStarterOptions {
  readonly launchers: readonly Launcher[];
  readonly gpus: Pick<GpuPool, "leave" | "release" | "take">;
  /** Checks the health of workers that are servers. */
  readonly health: Pick<HealthWatch, "watch">;
  readonly memory: Pick<MemoryWatch, "watch">;
}

type StarterUses = TimePort & WorkerPort & TellPort & CatalogPort;

/** Called after a worker and all processes that it started have exited. */
type Ended = (worker: WorkerHandle, exit: WorkerExit) => Promise<void>;

export class WorkerStarter {
  readonly #engine: StarterUses;
  readonly #options: WorkerStarterOptions;
  /** Settle when the worker has exited and that is recorded. */
  readonly #ends = new Map<WorkerHandle, Promise<void>>();

  constructor(engine: StarterUses, options: WorkerStarterOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Settles when all workers that were started have exited and that is recorded. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#ends.values());
  }

  /** Settles when the worker has exited and that is recorded. */
  async endOf(worker: WorkerHandle): Promise<void> {
    await this.#ends.get(worker);
  }

  /** Undefined when a worker was started. */
  start(endpoint: Endpoint, ended: Ended): Refusal | undefined {
    const engine = this.#engine;
    const { gpus } = this.#options;
    const template = engine.directory.template(endpoint.templateId);
    const launcher = this.#launcherOf(template);
    if (typeof launcher === "string") {
      gpus.leave(endpoint.id);
      return { reason: `${template.imageName}: ${launcher}`, retryMs: LAUNCHER_RETRY_MS };
    }
    const id = engine.random.shortId(14);
    const worker = this.#make(endpoint, template, launcher.outliving ? podWorkerId(id) : id);
    const grant = launcher.assignsGpus
      ? { devices: [] }
      : gpus.take(endpoint, worker.id, launcher.needsKnownGpus);
    if ("lack" in grant) return { reason: grant.lack };
    worker.gpus = grant.devices;
    const workerToken = engine.random.token();
    const order = { workerId: worker.id, endpoint, template, workerToken, gpus: worker.gpus };
    const launch = () => launcher.launch(order);
    this.#lookAfter(worker, { launch, digest: digestOf(workerToken), ended });
    const problem = initLimitProblem(template);
    if (problem !== undefined) engine.log.warn({ endpointId: endpoint.id }, problem);
    const gpuIds = worker.gpus.map(({ id: gpuId }) => gpuId);
    const ids = { workerId: worker.id, endpointId: endpoint.id };
    engine.log.info({ ...ids, ...(gpuIds.length > 0 && { gpuIds }) }, "worker started");
    return undefined;
  }

  /** Looks after a worker that another process has started. */
  adopt(
    outliving: OutlivingWorkers,
    { workerId, endpointVersion, tokenDigest: digest, isLeaving }: FoundWorker,
    endpoint: Endpoint,
    ended: Ended,
  ): void {
    const { directory, log, mover } = this.#engine;
    const template = directory.template(endpoint.templateId);
    const worker = this.#make({ ...endpoint, version: endpointVersion }, template, workerId);
    const launch = () => outliving.adopt({ workerId, endpoint, template, gpus: [] });
    this.#lookAfter(worker, { launch, digest, ended });
    log.info({ workerId, endpointId: endpoint.id }, "a worker that was started before was found");
    if (isLeaving) mover.move(worker, "retire");
  }

  #make(endpoint: Endpoint, template: Template, id: string): WorkerHandle {
    const { clock, realClock } = this.#engine;
    return new WorkerHandle({
      id,
      endpointId: endpoint.id,
      endpointVersion: endpoint.version,
      startedAt: clock.now(),
      realClock,
      initLimitMs: initLimitMs(template, endpoint.type),
      endpointType: endpoint.type,
      template,
    });
  }

  #lookAfter(
    worker: WorkerHandle,
    how: { readonly launch: () => LaunchedWorker; readonly digest: string; readonly ended: Ended },
  ): void {
    const engine = this.#engine;
    const { id: workerId, endpointId } = worker;
    engine.fleet.add(worker);
    engine.tell({ type: "worker-started", endpointId });
    engine.tokens.add(how.digest, worker);
    worker.launched = how.launch();
    const { running } = worker.launched;
    const begin = () => engine.mover.move(worker, "begin");
    if (running === undefined) begin();
    else void running.then(begin);
    this.#options.health.watch(worker);
    this.#options.memory.watch();
    const recorded = worker.launched.exited
      .then((exit) => {
        this.#ended(worker, how.digest, exit);
        return how.ended(worker, exit);
      })
      .catch((error: unknown) =>
        engine.log.error(
          { err: error, workerId, endpointId },
          "the end of a worker could not be recorded",
        ),
      )
      .finally(() => this.#ends.delete(worker));
    this.#ends.set(worker, recorded);
  }

  #ended(worker: WorkerHandle, digest: string, exit: WorkerExit): void {
    const { mover, tell, tokens } = this.#engine;
    tokens.remove(digest);
    worker.exit = exit;
    mover.move(worker, "exit");
    const { end = "unasked" } = worker.life;
    tell({ type: "worker-exited", endpointId: worker.endpointId, end });
    // A worker that never became ready may have failed because of its GPUs.
    const isSuspect = end === "not_initialized" && exit.goneWith === undefined;
    this.#options.gpus.release(worker.id, isSuspect);
  }

  /** The first launcher that does not refuse, or the reasons of those that are for such templates. */
  #launcherOf(template: Template): Launcher | string {
    const isImage = !template.imageName.startsWith(LOCAL_IMAGE_PREFIX);
    const reasons: string[] = [];
    const others: string[] = [];
    for (const launcher of this.#options.launchers) {
      const reason = launcher.refuses(template);
      if (reason === undefined) return launcher;
      if (isImage === (launcher.runsImages ?? false)) reasons.push(reason);
      else others.push(reason);
    }
    return (reasons.length > 0 ? reasons : others).join("; ");
  }
}
