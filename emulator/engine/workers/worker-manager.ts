/** Gives each endpoint the workers that the scaler decides on: starts them, lets them leave, and counts their failures. */
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import { scalingJobs } from "../../core/jobs/job-counts.ts";
import { type Demand, jobsMatter, type ScalerDecision } from "../../core/workers/scaler.ts";
import type { WorkerEvent } from "../../core/workers/worker-event.ts";
import type { WorkerExit } from "../../launch/launcher.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { demandNow, demandOf } from "./scaling/endpoint-demand.ts";
import type { DecisionLog } from "../observe/decision-log.ts";
import { EndpointScale, type Seen } from "./scaling/endpoint-scale.ts";
import { endAtOnce } from "./end-at-once.ts";
import type { WorkerHandle } from "./worker-handle.ts";
import type { GpuPool } from "./gpus/gpu-pool.ts";
import { isMoved } from "../steps/state/endpoint-moved.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import { loseWorker } from "../jobs/requeue.ts";
import { exitFailure, lostFailure } from "./describe-exit.ts";
import { recordEnd } from "./scaling/worker-end.ts";
import type { WorkerStarter } from "./worker-starter.ts";
import type { Overdue, WorkerWatch } from "./worker-watch.ts";

export interface WorkerManagerOptions {
  readonly decisions: Pick<DecisionLog, "isNew">;
  readonly gpus: Pick<GpuPool, "leave">;
  readonly ownership: Pick<OwnedPartitions, "holds" | "isHeldBack" | "isLeaving">;
  readonly starter: WorkerStarter;
  readonly watch: WorkerWatch;
}

type ManagerUses = StepPort & TimePort & WorkerPort & TellPort & CatalogPort;

export class WorkerManager {
  readonly #engine: ManagerUses;
  readonly #options: WorkerManagerOptions;
  readonly #scales = new Map<string, EndpointScale>();
  readonly #changed = new Set<string>();
  #deciding: Promise<void> | undefined;
  /** The endpoint of the decision under way. */
  #decidesOn: string | undefined;
  #started = false;
  #stopped = false;

  constructor(engine: ManagerUses, options: WorkerManagerOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Begins to start workers. Call it when they can connect. */
  start(): void {
    this.#started = true;
    this.#options.watch.start((worker, overdue) => this.#giveUp(worker, overdue));
    this.considerAll();
  }

  /** Call it when a launcher can start workers that it could not before. */
  considerAll(): void {
    for (const { id } of this.#engine.directory.endpoints()) this.consider(id);
  }

  /** Schedules a decision about the endpoint; several calls in one turn make one decision. Does nothing before `start`. */
  consider(endpointId: string): void {
    if (!this.#started || this.#stopped || !this.#options.ownership.holds(endpointId)) return;
    this.#changed.add(endpointId);
    this.#deciding ??= this.#engine.pendingWork.track("scaling", this.#decideChanged());
  }

  /** Jobs of the endpoint changed: schedules a decision if that can matter to it. */
  readonly jobsChanged = (endpointId: string): void => {
    if (!this.#started || this.#stopped || !this.#options.ownership.holds(endpointId)) return;
    if (this.#decidesOn === endpointId || this.#jobsMatter(endpointId)) this.consider(endpointId);
  };

  /**
   * Starts no more workers and ends the present ones, at once or when they have finished their jobs. Workers that will name
   * their jobs to the next start go on. Does not wait for workers that are lost meanwhile.
   */
  async stop(how: "drain" | "kill"): Promise<void> {
    this.#stopped = true;
    for (const scale of this.#scales.values()) scale.stop();
    await this.#deciding;
    if (how === "kill") this.killAll();
    else {
      for (const worker of this.#engine.fleet.all()) {
        if (worker.namesItsJobs) continue;
        this.#move(worker, "retire");
        // A server might not answer its requests after an order to leave.
        const isAnswering = worker.endpointType === "LOAD_BALANCING" && worker.heldCount > 0;
        if (!isAnswering) this.#move(worker, "send-drain");
      }
    }
    await this.#options.starter.allEnded();
    this.#options.watch.stop();
  }

  /** Kills all workers; also during a `stop` that drains. */
  killAll(): void {
    this.#stopped = true;
    for (const worker of this.#engine.fleet.all()) worker.launched?.kill();
  }

  /** Kills the workers of endpoints that have moved or are leaving, and starts no others. Resolves when they have exited. */
  async abandon(isMeant: (endpointId: string) => boolean): Promise<void> {
    const workers = this.#engine.fleet.all().filter(({ endpointId }) => isMeant(endpointId));
    for (const worker of workers) endAtOnce(this.#engine.mover, worker);
    for (const endpointId of [...this.#scales.keys()].filter(isMeant)) this.#forget(endpointId);
    await Promise.all(workers.map((worker) => this.#options.starter.endOf(worker)));
  }

  async #decideChanged(): Promise<void> {
    await Promise.resolve();
    while (this.#changed.size > 0 && !this.#stopped) {
      const [endpointId = ""] = this.#changed;
      this.#changed.delete(endpointId);
      this.#decidesOn = endpointId;
      try {
        await this.#decide(endpointId);
      } catch (error) {
        if (!isMoved(error))
          this.#engine.log.error({ endpointId, err: error }, "workers could not be scaled");
      }
      this.#decidesOn = undefined;
    }
    this.#deciding = undefined;
  }

  async #decide(endpointId: string): Promise<void> {
    const { clock, directory } = this.#engine;
    const { ownership } = this.#options;
    const demand = await demandOf(this.#engine, endpointId);
    if (this.#stopped || !ownership.holds(endpointId)) return;
    const endpoint = directory.findEndpoint(endpointId);
    const isLeaving = endpoint?.type === "LOAD_BALANCING" ? "isHeldBack" : "isLeaving";
    if (!endpoint || ownership[isLeaving](endpointId)) return this.#retire(endpointId);
    const scale = this.#scaleOf(endpoint);
    const seen = this.#look(endpoint, demand);
    const decision = scale.decide(seen);
    for (const worker of seen.workers) {
      if (decision.forget.includes(worker.id)) this.#move(worker, "forget");
      if (decision.drain.includes(worker.id)) this.#move(worker, "retire");
    }
    this.#drainIdle(seen.workers);
    const { started, retryAt, refusal } = this.#startMissing(endpoint, scale, decision);
    this.#note(endpointId, decision, started, refusal);
    const look = () => this.#look(endpoint, demandNow(this.#engine, endpoint));
    scale.aim(clock, retryAt, look, () => this.consider(endpointId));
    this.#engine.balancer.dispatch(endpointId);
  }

  #look(endpoint: Endpoint, demand: Demand): Seen {
    const { clock, fleet } = this.#engine;
    return { now: clock.now(), endpoint, demand, workers: fleet.workersOf(endpoint.id) };
  }

  /** Whether the endpoint's present jobs can change the next decision. */
  #jobsMatter(endpointId: string): boolean {
    const { directory, fleet, steps } = this.#engine;
    const endpoint = directory.findEndpoint(endpointId);
    const scale = this.#scales.get(endpointId);
    if (scale === undefined || scale.version !== endpoint?.version) return true;
    const counts = steps.countsNow(endpointId);
    const seen = this.#look(endpoint, { ...scalingJobs(counts), waitingSince: undefined });
    // A worker that retires leaves once it has no job.
    for (const { life, heldCount } of seen.workers)
      if (life.phase === "retiring" && heldCount === 0) return true;
    const isForFree = counts.inQueue > 0 && fleet.freeCredit(endpointId) > 0;
    return isForFree || jobsMatter(scale.planned, seen);
  }

  #note(
    endpointId: string,
    { drain, workers, wanted, reasons }: ScalerDecision,
    start: number,
    refusal: string | undefined,
  ): void {
    const { clock, tell } = this.#engine;
    const refused = refusal === undefined ? [] : [{ type: "refused", reason: refusal } as const];
    const said = { start, drain, workers, wanted, reasons: [...reasons, ...refused] };
    const made = { at: clock.now(), ...said };
    if (this.#options.decisions.isNew(endpointId, made))
      tell({ type: "scale", endpointId, decision: made });
  }

  /** Starts the workers that may start now. If one cannot be started, returns the reason and the time of the next try. */
  #startMissing(endpoint: Endpoint, scale: EndpointScale, decision: ScalerDecision) {
    const { fleet, clock, log } = this.#engine;
    const { gpus, starter } = this.#options;
    const { start, missing } = decision;
    const ended = (worker: WorkerHandle, exit: WorkerExit) => this.ended(worker, exit);
    let started = 0;
    let refusal;
    while (started < start && !(refusal = starter.start(endpoint, ended))) started += 1;
    if (started > 0) {
      scale.lastStartAt = clock.now();
      // The next decision counts these workers.
      this.consider(endpoint.id);
    }
    if (!refusal) gpus.leave(endpoint.id);
    // Nothing was tried while the endpoint waits after a failure.
    if (start > 0 || missing === 0) {
      if (refusal?.reason !== undefined && refusal.reason !== scale.refusal) {
        const { id: endpointId, templateId } = endpoint;
        log.warn({ endpointId, templateId }, `no worker can be started: ${refusal.reason}`);
      }
      scale.refusal = refusal?.reason;
    }
    fleet.setThrottled(endpoint.id, scale.refusal === undefined ? 0 : missing - started);
    fleet.setProblem(endpoint.id, scale.problem);
    const { retryMs = Number.POSITIVE_INFINITY, reason } = refusal ?? {};
    return { started, retryAt: clock.now() + retryMs, refusal: reason };
  }

  /** Tells the workers of an endpoint that is deleted, or leaves this process, to leave. */
  #retire(endpointId: string): void {
    const { directory, fleet } = this.#engine;
    const isMoving = directory.findEndpoint(endpointId) !== undefined;
    // A worker that names its jobs goes on at the endpoint's next owner.
    const workers = fleet.workersOf(endpointId).filter((each) => !isMoving || !each.namesItsJobs);
    for (const worker of workers) {
      if (!this.#move(worker, "forget")) this.#move(worker, "retire");
    }
    this.#drainIdle(workers);
    this.#forget(endpointId);
    this.#engine.balancer.dispatch(endpointId);
  }

  #forget(endpointId: string): void {
    this.#options.gpus.leave(endpointId);
    this.#engine.fleet.setThrottled(endpointId, 0);
    this.#engine.fleet.setProblem(endpointId, undefined);
    this.#scales.get(endpointId)?.stop();
    this.#scales.delete(endpointId);
  }

  /**
   * Retired workers that hold no job are told to leave. They are not told before, because the time for leaving is limited,
   * and that of their jobs is not.
   */
  #drainIdle(workers: readonly WorkerHandle[]): void {
    const { pendingWork } = this.#engine;
    for (const worker of workers) {
      if (worker.heldCount === 0 && this.#move(worker, "send-drain"))
        void pendingWork.track(
          `worker ${worker.id} is leaving`,
          this.#options.starter.endOf(worker),
        );
    }
  }

  #scaleOf(endpoint: Endpoint): EndpointScale {
    const known = this.#scales.get(endpoint.id);
    if (known?.version === endpoint.version) return known;
    known?.stop();
    const scale = new EndpointScale(endpoint);
    this.#scales.set(endpoint.id, scale);
    return scale;
  }

  /** The worker is killed; another one replaces it when it has exited. */
  #giveUp(worker: WorkerHandle, { reason, fields }: Overdue): void {
    const engine = this.#engine;
    const { id: workerId, endpointId } = worker;
    this.#move(worker, "declare-lost");
    worker.failure = reason;
    if (worker.isExternal) {
      this.#move(worker, "unregister");
      const message = `external worker ${reason}: it is not counted any more`;
      engine.log.info({ workerId, endpointId }, message);
    } else {
      const message = `worker ${reason}: it is lost and will be ended, its jobs go back to the queue`;
      engine.log.error({ workerId, endpointId, ...fields }, message);
    }
    if (this.#stopped || !this.#options.ownership.holds(endpointId)) return;
    loseWorker(engine, worker, lostFailure(worker, reason)).catch((error: unknown) =>
      engine.log.error(
        { err: error, workerId },
        "the jobs of a lost worker wait for their leases to run out",
      ),
    );
    this.consider(endpointId);
  }

  /** Call it with a worker that was started elsewhere, and has exited. */
  async ended(worker: WorkerHandle, exit: WorkerExit): Promise<void> {
    recordEnd(this.#engine, worker, exit, this.#scales.get(worker.endpointId));
    // Without an owner here no other worker is started, so this one does not count as unhealthy.
    if (!this.#options.ownership.holds(worker.endpointId)) this.#move(worker, "forget");
    // The next start puts the jobs of workers that ended with the service back into the queue, and so does another owner.
    else if (!this.#stopped) await loseWorker(this.#engine, worker, exitFailure(worker, exit));
    this.consider(worker.endpointId);
  }

  #move(worker: WorkerHandle, event: WorkerEvent): boolean {
    return this.#engine.mover.move(worker, event);
  }
}
