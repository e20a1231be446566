/**
 * Checks the health of servers of load balancing endpoints, moves them in and out of rotation, and kills those that stay
 * unhealthy.
 */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { HealthProbe } from "../../balance/health-probe.ts";
import type { Disarm } from "../../core/time/clock.ts";
import {
  isGivenUp,
  judgeHealth,
  nextQuestionMs,
  unknownHealth,
  type WorkerHealth,
} from "../../core/balancing/worker-health.ts";
import type { ServerAddress } from "../../launch/launcher.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import { ToldVersions } from "../observe/told-versions.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

const EVENT_OF = {
  ready: "report-ready",
  initializing: "reinitialize",
  unhealthy: "fail-health-check",
} as const;

type HealthUses = TimePort & WorkerPort & TellPort;

const NO_PROBE: HealthProbe = { ask: async () => undefined };

export class HealthWatch {
  readonly #engine: HealthUses;
  readonly #probe: HealthProbe;
  /** Versions of endpoints with checked listening addresses. */
  readonly #exposureChecked = new ToldVersions();

  /** @param probe default: no server ever becomes healthy */
  constructor(engine: HealthUses, probe: HealthProbe = NO_PROBE) {
    this.#engine = engine;
    this.#probe = probe;
  }

  /** Call it after the launch of a worker; ignores one that is not a server. Ends with the worker. */
  watch(worker: WorkerHandle): void {
    const { launched } = worker;
    if (launched?.server === undefined) return;
    const isHealthy = (address: ServerAddress) => this.#checkExposure(worker, address);
    const watched = new WatchedServer(this.#engine, this.#probe, worker, isHealthy);
    void launched.server.then((address) => watched.begin(address));
    void launched.exited.then(() => watched.end());
  }

  /** Warns once for each version if its servers can be reached from outside this machine. */
  #checkExposure(worker: WorkerHandle, address: ServerAddress): void {
    if (this.#probe.wideAddresses === undefined || this.#exposureChecked.has(worker)) return;
    this.#exposureChecked.add(worker);
    const looking = this.#probe.wideAddresses(address).then((addresses) => {
      if (addresses.length > 0) this.#warn(worker.endpointId, address, addresses.join(" and "));
    });
    void this.#engine.pendingWork.track("a look at where a server listens", looking);
  }

  #warn(endpointId: string, { port }: ServerAddress, addresses: string): void {
    const message =
      `its server listens at ${addresses}: anyone who reaches this machine can call it without a key; ` +
      "it should listen at the address in HOST (127.0.0.1)";
    this.#engine.log.warn({ endpointId, port, addresses }, message);
  }
}

class WatchedServer {
  readonly #engine: HealthUses;
  readonly #probe: HealthProbe;
  readonly #worker: WorkerHandle;
  readonly #isHealthy: (address: ServerAddress) => void;
  #health: WorkerHealth;
  #disarm: Disarm | undefined;
  #hasEnded = false;

  constructor(
    engine: HealthUses,
    probe: HealthProbe,
    worker: WorkerHandle,
    isHealthy: (address: ServerAddress) => void,
  ) {
    this.#engine = engine;
    this.#probe = probe;
    this.#worker = worker;
    this.#isHealthy = isHealthy;
    this.#health = unknownHealth(engine.realClock.now());
  }

  begin(address: ServerAddress): void {
    this.#worker.server = address;
    this.#check(address);
  }

  end(): void {
    this.#hasEnded = true;
    this.#disarm?.();
  }

  #check(address: ServerAddress): void {
    void this.#engine.pendingWork.track("a health check", this.#checkOnce(address));
  }

  async #checkOnce(address: ServerAddress): Promise<void> {
    const { realClock } = this.#engine;
    const answer = await this.#answerOf(address);
    // A leaving worker does not become ready again.
    if (this.#hasEnded || this.#worker.state === "draining") return;
    // A request may have found the server unreachable meanwhile.
    const { state } = this.#worker;
    const known = state === "unhealthy" ? { ...this.#health, state } : this.#health;
    this.#health = judgeHealth(known, answer, realClock.now());
    this.#engine.mover.move(this.#worker, EVENT_OF[this.#health.state]);
    if (this.#health.state === "ready") {
      this.#engine.balancer.dispatch(this.#worker.endpointId);
      this.#isHealthy(address);
    }
    if (isGivenUp(this.#health, realClock.now(), this.#worker.initLimitMs))
      return this.#giveUp(address, answer);
    const next = realClock.now() + nextQuestionMs(this.#health);
    this.#disarm = realClock.wakeAt(next, () => this.#check(address));
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
    this.#engine.mover.move(this.#worker, "health-timeout");
  }
}
