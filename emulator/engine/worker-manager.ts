/** Gives each endpoint the workers the scaler wants: starts them, lets them leave, and learns from how they end. */
import { createHash } from "node:crypto";
import type { Disarm } from "../core/clock.ts";
import type { Endpoint } from "../core/endpoint.ts";
import { decideScale } from "../core/scaler.ts";
import type { Launcher, WorkerExit } from "../launch/launcher.ts";
import { assignFreeCredit } from "./assign-free.ts";
import type { EngineContext } from "./context.ts";
import { FleetWorker } from "./fleet-worker.ts";
import { loseWorker } from "./hand-back.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { StartBackoff } from "./start-backoff.ts";
import { exitFailure, failedToInitialize, silenceFailure } from "./worker-exit.ts";

/** What is remembered of an endpoint between two decisions. */
interface EndpointScale {
  readonly backoff: StartBackoff;
  lastStartAt: number | undefined;
  disarm: Disarm | undefined;
}

export class WorkerManager {
  readonly #engine: EngineContext;
  readonly #launchers: readonly Launcher[];
  readonly #scales = new Map<string, EndpointScale>();
  readonly #workersByToken = new Map<string, FleetWorker>();
  readonly #changed = new Set<string>();
  readonly #silenceWatch: SilenceWatch;
  /** Ends of workers that are yet to come or to be recorded. */
  readonly #ends = new Set<Promise<void>>();
  #deciding: Promise<void> | undefined;
  #started = false;
  #stopped = false;

  constructor(engine: EngineContext, launchers: readonly Launcher[]) {
    this.#engine = engine;
    this.#launchers = launchers;
    this.#silenceWatch = new SilenceWatch(engine, (worker, silentMs) =>
      this.#lose(worker, silentMs),
    );
  }

  /** Begins to start workers: the place they connect to is open now. */
  start(): void {
    this.#started = true;
    this.#silenceWatch.start();
    for (const { id } of this.#engine.directory.endpoints()) this.consider(id);
  }

  /** Has the endpoint considered soon; many calls of one turn cost one decision. Before `start` there is nothing to decide. */
  consider(endpointId: string): void {
    if (!this.#started || this.#stopped) return;
    this.#changed.add(endpointId);
    this.#deciding ??= this.#decideChanged();
  }

  /** The worker a token belongs to. */
  authenticate(token: string): FleetWorker | undefined {
    return this.#workersByToken.get(digest(token));
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
    else for (const worker of this.#engine.fleet.all()) this.#drain(worker);
    await Promise.all(this.#ends);
    this.#silenceWatch.stop();
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
    const engine = this.#engine;
    const endpoint = engine.directory.findEndpoint(endpointId);
    const workers = engine.fleet.workersOf(endpointId);
    if (!endpoint) {
      for (const worker of workers) {
        if (worker.state === "unhealthy" && !worker.launched) engine.fleet.remove(worker);
        else this.#drain(worker);
      }
      this.#scales.get(endpointId)?.disarm?.();
      this.#scales.delete(endpointId);
      return;
    }
    const [counts, oldestQueuedAt] = await engine.store.read(
      async (view) =>
        [await view.counts(endpointId), await view.oldestScalingQueuedAt(endpointId)] as const,
    );
    if (this.#stopped) return;
    if (counts.inQueue > 0) await assignFreeCredit(engine, endpointId);
    const scale = this.#scaleOf(endpointId);
    const decision = decideScale({
      now: engine.clock.now(),
      endpoint,
      inQueue: counts.inQueue - counts.inQueueLowPriority,
      inProgress: counts.inProgress - counts.inProgressLowPriority,
      oldestQueuedAt,
      workers: engine.fleet.workersOf(endpointId),
      lastStartAt: scale.lastStartAt,
      notBefore: scale.backoff.notBefore,
    });
    for (const id of decision.drain) this.#drain(engine.fleet.find(id));
    for (let started = 0; started < decision.start; started += 1) this.#start(endpoint, scale);
    this.#aim(endpointId, scale, decision.dueAt);
  }

  #aim(endpointId: string, scale: EndpointScale, dueAt: number | undefined): void {
    scale.disarm?.();
    scale.disarm =
      dueAt === undefined
        ? undefined
        : this.#engine.clock.wakeAt(dueAt, () => this.consider(endpointId));
  }

  #scaleOf(endpointId: string): EndpointScale {
    const known = this.#scales.get(endpointId);
    if (known) return known;
    const scale = { backoff: new StartBackoff(), lastStartAt: undefined, disarm: undefined };
    this.#scales.set(endpointId, scale);
    return scale;
  }

  #start(endpoint: Endpoint, scale: EndpointScale): void {
    const engine = this.#engine;
    const template = engine.directory.template(endpoint.templateId);
    const launcher = this.#launchers.find((candidate) => candidate.refuses(template) === undefined);
    engine.fleet.setThrottled(endpoint.id, launcher ? 0 : 1);
    if (!launcher) {
      scale.backoff.failed(engine.clock.now());
      const reasons = this.#launchers.map((candidate) => candidate.refuses(template));
      engine.log.warn(
        { endpointId: endpoint.id },
        `no worker can be started for ${template.imageName}: ${reasons.join("; ")}`,
      );
      return this.consider(endpoint.id);
    }
    for (const worker of engine.fleet.workersOf(endpoint.id)) {
      if (worker.state === "unhealthy" && !worker.launched) engine.fleet.remove(worker);
    }
    scale.lastStartAt = engine.clock.now();
    const worker = new FleetWorker({
      id: engine.random.shortId(14),
      endpointId: endpoint.id,
      endpointVersion: endpoint.version,
      startedAt: scale.lastStartAt,
    });
    const workerToken = engine.random.token();
    engine.fleet.add(worker);
    this.#workersByToken.set(digest(workerToken), worker);
    worker.launched = launcher.launch({ workerId: worker.id, workerToken, endpoint, template });
    engine.log.info({ workerId: worker.id, endpointId: endpoint.id }, "worker started");
    const ended = worker.launched.exited
      .then((exit) => this.#ended(worker, workerToken, exit))
      .catch((error: unknown) =>
        engine.log.error(
          { err: error, workerId: worker.id },
          "the end of a worker could not be recorded",
        ),
      )
      .finally(() => this.#ends.delete(ended));
    this.#ends.add(ended);
  }

  #drain(worker: FleetWorker | undefined): void {
    if (!worker || worker.state === "draining" || worker.state === "lost") return;
    worker.state = "draining";
    worker.launched?.drain();
    worker.send({ drain: true });
  }

  /** It is given up, whatever it may still say; another takes its place as soon as it is gone. */
  #lose(worker: FleetWorker, silentMs: number): void {
    const engine = this.#engine;
    const { id: workerId, endpointId } = worker;
    worker.state = "lost";
    const message = `worker said nothing for ${silentMs} ms: it is lost and will be ended, its jobs go back to the queue`;
    engine.log.error({ workerId, endpointId, silentMs }, message);
    worker.launched?.kill();
    if (this.#stopped) return;
    loseWorker(engine, worker, silenceFailure(worker, silentMs)).catch((error: unknown) =>
      engine.log.error(
        { err: error, workerId },
        "the jobs of a lost worker wait for their leases to run out",
      ),
    );
    this.consider(endpointId);
  }

  async #ended(worker: FleetWorker, workerToken: string, exit: WorkerExit): Promise<void> {
    const engine = this.#engine;
    const now = engine.clock.now();
    const { id: workerId, endpointId } = worker;
    this.#workersByToken.delete(digest(workerToken));
    worker.launched = undefined;
    const { backoff } = this.#scaleOf(endpointId);
    if (failedToInitialize(worker, exit)) {
      worker.state = "unhealthy";
      const waitMs = backoff.failed(now);
      // What it said of the reason is in the log already, line by line.
      const { lastLogLines: _, ...how } = exit;
      const message = `worker could not initialize; the next try is in ${waitMs} ms`;
      engine.log.error({ workerId, endpointId, ...how }, message);
    } else {
      engine.fleet.remove(worker);
      backoff.succeeded();
      if (worker.state !== "draining") backoff.failed(now);
      this.#tellEnd(worker, exit);
    }
    // Jobs of a worker that was ended with the service are put back when the service starts again.
    if (!this.#stopped) await loseWorker(engine, worker, exitFailure(worker, exit));
    this.consider(endpointId);
  }

  #tellEnd({ id: workerId, endpointId, state }: FleetWorker, exit: WorkerExit): void {
    const { log } = this.#engine;
    if (state === "draining") log.info({ workerId, endpointId }, "worker has left");
    else if (state === "lost") log.info({ workerId, endpointId }, "the lost worker has ended");
    else log.error({ workerId, endpointId, ...exit }, "worker ended unasked");
  }
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
