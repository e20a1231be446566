/** Asks the servers of load balancing endpoints for their health, puts them in and out of rotation, and ends the hopeless. */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { HealthProbe } from "../balance/health-probe.ts";
import type { Disarm } from "../core/clock.ts";
import {
  isGivenUp,
  judgeHealth,
  nextQuestionMs,
  unknownHealth,
  type WorkerHealth,
} from "../core/worker-health.ts";
import type { ServerAddress } from "../launch/launcher.ts";
import type { EngineContext } from "./context.ts";
import { setWorkerState } from "./fleet-changes.ts";
import type { FleetWorker } from "./fleet-worker.ts";

const nobodyIsHealthy: HealthProbe = { ask: async () => undefined };

export class HealthWatch {
  readonly #engine: EngineContext;
  readonly #probe: HealthProbe;

  /** @param probe by default no server is healthy ever */
  constructor(engine: EngineContext, probe: HealthProbe = nobodyIsHealthy) {
    this.#engine = engine;
    this.#probe = probe;
  }

  /** To be called when the worker was launched; does nothing for one that is no server. Ends with the worker. */
  watch(worker: FleetWorker): void {
    const { launched } = worker;
    if (launched?.server === undefined) return;
    const watched = new WatchedServer(this.#engine, this.#probe, worker);
    void launched.server.then((address) => watched.begin(address));
    void launched.exited.then(() => watched.end());
  }
}

class WatchedServer {
  readonly #engine: EngineContext;
  readonly #probe: HealthProbe;
  readonly #worker: FleetWorker;
  #health: WorkerHealth;
  #disarm: Disarm | undefined;
  #hasEnded = false;

  constructor(engine: EngineContext, probe: HealthProbe, worker: FleetWorker) {
    this.#engine = engine;
    this.#probe = probe;
    this.#worker = worker;
    this.#health = unknownHealth(engine.realClock.now());
  }

  begin(address: ServerAddress): void {
    this.#worker.server = address;
    this.#ask(address);
  }

  end(): void {
    this.#hasEnded = true;
    this.#disarm?.();
  }

  #ask(address: ServerAddress): void {
    void this.#engine.activity.track("a health check", this.#look(address));
  }

  async #look(address: ServerAddress): Promise<void> {
    const { realClock } = this.#engine;
    const answer = await this.#answerOf(address);
    // One that leaves is asked no more: nothing brings it back.
    if (this.#hasEnded || this.#worker.state === "draining") return;
    // It may have turned out to be unreachable since.
    const { state } = this.#worker;
    const known = state === "unhealthy" ? { ...this.#health, state } : this.#health;
    this.#health = judgeHealth(known, answer, realClock.now());
    setWorkerState(this.#engine, this.#worker, this.#health.state);
    if (this.#health.state === "ready") this.#engine.balancer.look(this.#worker.endpointId);
    if (isGivenUp(this.#health, realClock.now(), this.#worker.initLimitMs))
      return this.#giveUp(address, answer);
    const next = realClock.now() + nextQuestionMs(this.#health);
    this.#disarm = realClock.wakeAt(next, () => this.#ask(address));
  }

  async #answerOf(address: ServerAddress): Promise<number | undefined> {
    const { realClock } = this.#engine;
    const limit = new AbortController();
    this.#disarm = realClock.wakeAt(realClock.now() + LIMITS.healthAnswerMs, () => limit.abort());
    const answer = await this.#probe.ask(address, limit.signal);
    this.#disarm();
    return answer;
  }

  #giveUp({ healthPort, healthPath }: ServerAddress, answer: number | undefined): void {
    const { id: workerId, endpointId } = this.#worker;
    const forMs = this.#engine.realClock.now() - this.#health.healthyAt;
    const says = answer === undefined ? "nothing answered" : `the last answer was ${answer}`;
    const message =
      `worker was not healthy for ${forMs} ms and is ended: it should answer 200 at port ${healthPort} (PORT_HEALTH), ` +
      `path ${healthPath} (HEALTH_CHECK_PATH); ${says}`;
    this.#engine.log.error({ workerId, endpointId, answer }, message);
    this.#worker.state = "unhealthy";
    this.#worker.launched?.kill();
  }
}
