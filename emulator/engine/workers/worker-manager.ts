/** Gives each endpoint the workers the scaler wants: starts them, lets them leave, and learns from how they end. */
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { decideScale, type ScalerDecision } from "../../core/workers/scaler.ts";
import type { WorkerEvent } from "../../core/workers/worker-event.ts";
import type { WorkerExit } from "../../launch/launcher.ts";
import type { Uses } from "../context.ts";
import { demandOf } from "./scaling/endpoint-demand.ts";
import { EndpointScale } from "./scaling/endpoint-scale.ts";
import type { WorkerHandle } from "./worker-handle.ts";
import type { GpuPool } from "./gpus/gpu-pool.ts";
import { loseWorker } from "../jobs/requeue.ts";
import { exitFailure, lostFailure } from "./worker-exit.ts";
import { recordEnd } from "./scaling/worker-end.ts";
import type { WorkerStarter } from "./worker-starter.ts";
import type { Overdue, WorkerWatch } from "./worker-watch.ts";

export interface WorkerManagerOptions {
  readonly gpus: Pick<GpuPool, "leave">;
  readonly starter: WorkerStarter;
  readonly watch: WorkerWatch;
}

type ManagerUses = Uses<
  | "balancer"
  | "clock"
  | "directory"
  | "fleet"
  | "lease"
  | "log"
  | "mover"
  | "pendingWork"
  | "random"
  | "steps"
>;

export class WorkerManager {
  readonly #engine: ManagerUses;
  readonly #options: WorkerManagerOptions;
  readonly #scales = new Map<string, EndpointScale>();
  readonly #changed = new Set<string>();
  #deciding: Promise<void> | undefined;
  #started = false;
  #stopped = false;

  constructor(engine: ManagerUses, options: WorkerManagerOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Begins to start workers: the place they connect to is open now. */
  start(): void {
    this.#started = true;
    this.#options.watch.start((worker, overdue) => this.#giveUp(worker, overdue));
    this.considerAll();
  }

  /** To be called when a launcher is willing that was not. */
  considerAll(): void {
    for (const { id } of this.#engine.directory.endpoints()) this.consider(id);
  }

  /** Has the endpoint considered soon; many calls of one turn cost one decision. Before `start` there is nothing to decide. */
  consider(endpointId: string): void {
    if (!this.#started || this.#stopped) return;
    this.#changed.add(endpointId);
    this.#deciding ??= this.#engine.pendingWork.track("scaling", this.#decideChanged());
  }

  /**
   * Starts no more workers and ends all there are: at once, or as soon as they have finished their jobs. One that is
   * silent for too long meanwhile is not waited for.
   */
  async stop(how: "drain" | "kill"): Promise<void> {
    this.#stopped = true;
    for (const scale of this.#scales.values()) scale.disarm?.();
    await this.#deciding;
    if (how === "kill") this.killAll();
    else {
      for (const worker of this.#engine.fleet.all()) {
        this.#move(worker, "retire");
        // A server leaves after its last answer; until then nobody knows whether it would give it.
        const isAnswering = worker.endpointType === "LOAD_BALANCING" && worker.heldCount > 0;
        if (!isAnswering) this.#move(worker, "send-drain");
      }
    }
    await this.#options.starter.allEnded();
    this.#options.watch.stop();
  }

  /** Ends all workers at once; may hasten a `stop` that drains. */
  killAll(): void {
    this.#stopped = true;
    for (const worker of this.#engine.fleet.all()) worker.launched?.kill();
  }

  async #decideChanged(): Promise<void> {
    await Promise.resolve();
    while (this.#changed.size > 0 && !this.#stopped) {
      const [endpointId = ""] = this.#changed;
      this.#changed.delete(endpointId);
      try {
        await this.#decide(endpointId);
      } catch (error) {
        this.#engine.log.error({ endpointId, err: error }, "workers could not be scaled");
      }
    }
    this.#deciding = undefined;
  }

  async #decide(endpointId: string): Promise<void> {
    const { directory, fleet, clock } = this.#engine;
    const demand = await demandOf(this.#engine, endpointId);
    if (this.#stopped) return;
    const endpoint = directory.findEndpoint(endpointId);
    if (!endpoint) return this.#retire(endpointId);
    const scale = this.#scaleOf(endpoint);
    const workers = fleet.workersOf(endpointId);
    scale.look(workers);
    const { lastStartAt, backoff } = scale;
    const { notBefore, isProbing } = backoff;
    const input = {
      now: clock.now(),
      endpoint,
      demand,
      workers,
      lastStartAt,
      notBefore,
      isProbing,
      hasStandIns: hasStandIns(endpoint),
    };
    const decision = decideScale(input);
    for (const worker of workers) {
      if (decision.forget.includes(worker.id)) this.#move(worker, "forget");
      if (decision.drain.includes(worker.id)) this.#move(worker, "retire");
    }
    this.#letGo(workers);
    const retryAt = this.#startMissing(endpoint, scale, decision);
    this.#aim(endpointId, scale, Math.min(retryAt, decision.dueAt ?? retryAt));
    this.#engine.balancer.look(endpointId);
  }

  /** Starts what may be started now; answers when to try again to start what could not be. */
  #startMissing(endpoint: Endpoint, scale: EndpointScale, decision: ScalerDecision): number {
    const { fleet, clock, log } = this.#engine;
    const { gpus, starter } = this.#options;
    const { start, missing } = decision;
    const ended = (worker: WorkerHandle, exit: WorkerExit) => this.#ended(worker, exit);
    let started = 0;
    let refusal;
    while (started < start && !(refusal = starter.start(endpoint, ended))) started += 1;
    if (started > 0) {
      scale.lastStartAt = clock.now();
      // When the next one is due depends on there being this one.
      this.consider(endpoint.id);
    }
    if (!refusal) gpus.leave(endpoint.id);
    // While it waits after a failure it is not known whether one could be started.
    if (start > 0 || missing === 0) {
      if (refusal?.reason !== undefined && refusal.reason !== scale.refusal) {
        const { id: endpointId, templateId } = endpoint;
        log.warn({ endpointId, templateId }, `no worker can be started: ${refusal.reason}`);
      }
      scale.refusal = refusal?.reason;
    }
    fleet.setThrottled(endpoint.id, scale.refusal === undefined ? 0 : missing - started);
    return refusal?.retryMs === undefined
      ? Number.POSITIVE_INFINITY
      : clock.now() + refusal.retryMs;
  }

  /** Workers of an endpoint that is no more leave. */
  #retire(endpointId: string): void {
    const { fleet } = this.#engine;
    const workers = fleet.workersOf(endpointId);
    for (const worker of workers) {
      if (!this.#move(worker, "forget")) this.#move(worker, "retire");
    }
    this.#letGo(workers);
    this.#options.gpus.leave(endpointId);
    fleet.setThrottled(endpointId, 0);
    this.#scales.get(endpointId)?.disarm?.();
    this.#scales.delete(endpointId);
    this.#engine.balancer.look(endpointId);
  }

  /**
   * Workers that take no more and hold nothing leave. Nobody tells one before that it has to leave: its time for what it
   * still has would be limited.
   */
  #letGo(workers: readonly WorkerHandle[]): void {
    const { pendingWork } = this.#engine;
    for (const worker of workers) {
      if (worker.heldCount === 0 && this.#move(worker, "send-drain"))
        void pendingWork.track(
          `worker ${worker.id} is leaving`,
          this.#options.starter.endOf(worker),
        );
    }
  }

  #aim(endpointId: string, scale: EndpointScale, dueAt: number): void {
    scale.disarm?.();
    scale.disarm = Number.isFinite(dueAt)
      ? this.#engine.clock.wakeAt(dueAt, () => this.consider(endpointId))
      : undefined;
  }

  #scaleOf(endpoint: Endpoint): EndpointScale {
    const known = this.#scales.get(endpoint.id);
    if (known?.version === endpoint.version) return known;
    known?.disarm?.();
    const scale = new EndpointScale(endpoint);
    this.#scales.set(endpoint.id, scale);
    return scale;
  }

  /** It is ended, whatever it may still say; another takes its place as soon as it is gone. */
  #giveUp(worker: WorkerHandle, { reason, fields }: Overdue): void {
    const engine = this.#engine;
    const { id: workerId, endpointId } = worker;
    this.#move(worker, "declare-lost");
    if (worker.isExternal) {
      this.#move(worker, "unregister");
      const message = `worker that came by itself ${reason}: it counts no more`;
      engine.log.info({ workerId, endpointId }, message);
    } else {
      const message = `worker ${reason}: it is lost and will be ended, its jobs go back to the queue`;
      engine.log.error({ workerId, endpointId, ...fields }, message);
    }
    if (this.#stopped) return;
    loseWorker(engine, worker, lostFailure(worker, reason)).catch((error: unknown) =>
      engine.log.error(
        { err: error, workerId },
        "the jobs of a lost worker wait for their leases to run out",
      ),
    );
    this.consider(endpointId);
  }

  async #ended(worker: WorkerHandle, exit: WorkerExit): Promise<void> {
    recordEnd(this.#engine, worker, exit, this.#scales.get(worker.endpointId));
    // Jobs of a worker that was ended with the service are put back when the service starts again.
    if (!this.#stopped) await loseWorker(this.#engine, worker, exitFailure(worker, exit));
    this.consider(worker.endpointId);
  }

  #move(worker: WorkerHandle, event: WorkerEvent): boolean {
    return this.#engine.mover.move(worker, event);
  }
}

/**
 * Requests have no queue to wait in until a server of the new version is healthy, so one of the old version serves until
 * then (ours). Not where it has GPUs: the new one may have to wait for them.
 */
function hasStandIns({ type, computeType }: Endpoint): boolean {
  return type === "LOAD_BALANCING" && computeType !== "GPU";
}
