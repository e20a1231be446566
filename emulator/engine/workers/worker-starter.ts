/** Starts workers: finds a launcher and GPUs for one, hands it a token, and hears of its end. */
import type { Endpoint } from "../../core/resources/endpoint.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import { initLimitMs, initLimitProblem } from "../../core/workers/init-limit.ts";
import type { Template } from "../../core/resources/template.ts";
import type { Launcher, WorkerExit } from "../../launch/launcher.ts";
import type { EngineContext } from "../context.ts";
import type { GpuPool } from "./gpus/gpu-pool.ts";
import { moveWorker } from "./move-worker.ts";
import { WorkerHandle } from "./worker-handle.ts";

/** A launcher that was not willing is asked again after this time, should nothing happen before. */
const LAUNCHER_RETRY_MS = 60_000;

/** Why no worker was started. */
export interface Refusal {
  /** A sentence; undefined where that will be settled by itself at once. */
  readonly reason: string | undefined;
  /** When to ask again, ms from now; undefined where the endpoint waits in line and will be considered in its turn. */
  readonly retryMs?: number;
}

export interface WorkerStarterOptions {
  readonly engine: EngineContext;
  readonly launchers: readonly Launcher[];
  readonly gpus: GpuPool;
  /** To be called with each worker that was launched. */
  readonly started: (worker: WorkerHandle) => void;
  /** To be called with each worker that has ended, and all it started with it. */
  readonly ended: (worker: WorkerHandle, exit: WorkerExit) => Promise<void>;
}

export class WorkerStarter {
  readonly #options: WorkerStarterOptions;
  /** Ends of workers that are yet to come or to be recorded. */
  readonly #ends = new Map<WorkerHandle, Promise<void>>();

  constructor(options: WorkerStarterOptions) {
    this.#options = options;
  }

  /** Settles when all that were started have ended and that is recorded. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#ends.values());
  }

  /** Settles when that worker has ended and that is recorded. */
  async endOf(worker: WorkerHandle): Promise<void> {
    await this.#ends.get(worker);
  }

  /** Undefined when a worker was started. */
  start(endpoint: Endpoint): Refusal | undefined {
    const { engine, gpus } = this.#options;
    const template = engine.directory.template(endpoint.templateId);
    const launcher = this.#launcherOf(template);
    if (typeof launcher === "string") {
      gpus.leave(endpoint.id);
      return { reason: `${template.imageName}: ${launcher}`, retryMs: LAUNCHER_RETRY_MS };
    }
    const worker = new WorkerHandle({
      id: engine.random.shortId(14),
      endpointId: endpoint.id,
      endpointVersion: endpoint.version,
      startedAt: engine.clock.now(),
      realNow: () => engine.realClock.now(),
      initLimitMs: initLimitMs(template, endpoint.type),
      endpointType: endpoint.type,
      madeOf: template,
    });
    const grant = gpus.take(endpoint, worker.id, launcher.needsKnownGpus);
    if ("lack" in grant) return { reason: grant.lack };
    this.#launch(launcher, worker, endpoint, template, grant.devices);
    return undefined;
  }

  #launch(
    launcher: Launcher,
    worker: WorkerHandle,
    endpoint: Endpoint,
    template: Template,
    gpus: readonly GpuDevice[],
  ): void {
    const { engine } = this.#options;
    const workerToken = engine.random.token();
    worker.gpuTypeId = gpus[0]?.typeId;
    worker.gpuCount = gpus.length;
    engine.fleet.add(worker);
    engine.metrics.workerStarted(endpoint.id);
    engine.tokens.add(workerToken, worker);
    const problem = initLimitProblem(template);
    if (problem !== undefined) engine.log.warn({ endpointId: endpoint.id }, problem);
    const ids = { workerId: worker.id, endpointId: endpoint.id };
    worker.launched = launcher.launch({
      workerId: worker.id,
      workerToken,
      endpoint,
      template,
      gpus,
    });
    const { running } = worker.launched;
    const begin = () => moveWorker(engine, worker, "begin");
    if (running === undefined) begin();
    else void running.then(begin);
    this.#options.started(worker);
    const gpuIds = gpus.map(({ id }) => id);
    engine.log.info({ ...ids, ...(gpuIds.length > 0 && { gpuIds }) }, "worker started");
    const ended = worker.launched.exited
      .then((exit) => this.#ended(worker, workerToken, exit))
      .catch((error: unknown) =>
        engine.log.error({ err: error, ...ids }, "the end of a worker could not be recorded"),
      )
      .finally(() => this.#ends.delete(worker));
    this.#ends.set(worker, ended);
  }

  async #ended(worker: WorkerHandle, workerToken: string, exit: WorkerExit): Promise<void> {
    const { engine, gpus, ended } = this.#options;
    engine.tokens.remove(workerToken);
    moveWorker(engine, worker, "exit");
    // It failed before it could work: for all that is known its GPUs may be why.
    gpus.release(worker.id, worker.life.end === "not_initialized" && exit.goneWith === undefined);
    await ended(worker, exit);
  }

  /** The first that is willing, or a sentence on why none is. */
  #launcherOf(template: Template): Launcher | string {
    const reasons: string[] = [];
    for (const launcher of this.#options.launchers) {
      const reason = launcher.refuses(template);
      if (reason === undefined) return launcher;
      reasons.push(reason);
    }
    return reasons.join("; ");
  }
}
