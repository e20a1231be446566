/** Enforces the time limits of workers, in real time: of their silence, their start and their leaving. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Disarm } from "../../core/time/clock.ts";
import { INIT_TIMEOUT } from "../../core/workers/init-limit.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import { NOT_A_WORKER, type WorkerHandle } from "./worker-handle.ts";

/** The limit that a worker exceeded: `reason` is a sentence without its subject, `fields` are for the log. */
export interface Overdue {
  readonly reason: string;
  readonly fields: Readonly<Record<string, number>>;
}

type WatchUses = TimePort & WorkerPort;
type GiveUp = (worker: WorkerHandle, overdue: Overdue) => void;

export class WorkerWatch {
  readonly #engine: WatchUses;
  #disarm: Disarm | undefined;

  constructor(engine: WatchUses) {
    this.#engine = engine;
  }

  /** `giveUp` is called once with each worker that has to be killed. */
  start(giveUp: GiveUp): void {
    this.#aim(this.#engine.realClock.now(), giveUp);
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #look(giveUp: GiveUp): void {
    const { realClock, fleet, stallDetector } = this.#engine;
    stallDetector.check();
    const now = realClock.now();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const worker of fleet.all()) {
      if (worker.life.phase === "lost") continue;
      if (!worker.launched && !worker.isExternal) continue;
      // A server sends no messages; its health is checked by `health-watch.ts`.
      const isServer = worker.endpointType === "LOAD_BALANCING";
      const reporting = isServer ? [] : [this.#silence(worker), this.#start(worker)];
      const limits = worker.launched
        ? [...reporting, this.#leaving(worker)]
        : [this.#silence(worker)];
      const due = limits.find(({ at }) => at <= now);
      if (due) giveUp(worker, due.overdue(now));
      else nextAt = Math.min(nextAt, ...limits.map(({ at }) => at));
    }
    this.#aim(nextAt, giveUp);
  }

  /** When the worker is lost unless a message comes before. The first message may take longer. */
  #silence(worker: WorkerHandle): TimeLimit {
    const { lease } = this.#engine;
    const { contact, initLimitMs, launched, life } = worker;
    if (contact.underWay > 0 || life.beganAt === undefined) return NEVER;
    const firstMs = launched?.speaksLate ? initLimitMs : LIMITS.workerStartMs;
    const since = Math.max(contact.lastAt, life.beganAt);
    return {
      at: this.#countedFrom(since) + (contact.wasMade ? lease.leaseMs : firstMs),
      overdue(now) {
        const silentMs = now - since;
        const isNoWorker = launched?.speaksLate === true && !contact.wasMade;
        const advice = isNoWorker ? NOT_A_WORKER : "";
        return { reason: `said nothing for ${silentMs} ms${advice}`, fields: { silentMs } };
      },
    };
  }

  #start(worker: WorkerHandle): TimeLimit {
    const { phase, beganAt } = worker.life;
    if (phase !== "starting" || beganAt === undefined) return NEVER;
    return {
      at: this.#countedFrom(beganAt) + worker.initLimitMs,
      overdue(now) {
        const startingMs = now - beganAt;
        const reason = `was not ready ${startingMs} ms after its start (${INIT_TIMEOUT} in the env of its template sets the limit, in seconds)`;
        return { reason, fields: { startingMs } };
      },
    };
  }

  /** A worker that holds no job and does not leave would keep its place and its GPUs for ever. */
  #leaving(worker: WorkerHandle): TimeLimit {
    const { drainingSince } = worker.life;
    if (drainingSince === undefined || worker.heldCount > 0) return NEVER;
    const since = Math.max(drainingSince, worker.emptySince);
    // A server only has to exit; a worker still has to report.
    const isServer = worker.endpointType === "LOAD_BALANCING";
    return {
      at: this.#countedFrom(since) + (isServer ? LIMITS.handlerGraceMs : LIMITS.workerLeaveMs),
      overdue(now) {
        const leavingMs = now - since;
        return { reason: `was to leave ${leavingMs} ms ago`, fields: { leavingMs } };
      },
    };
  }

  /** Time in which the service itself was stalled does not count. */
  #countedFrom(at: number): number {
    return Math.max(at, this.#engine.stallDetector.endedAt);
  }

  #aim(at: number, giveUp: GiveUp): void {
    const { realClock, lease } = this.#engine;
    const lookAgainAt = realClock.now() + lease.leaseRenewalMs;
    this.#disarm = realClock.wakeAt(Math.min(at, lookAgainAt), () => this.#look(giveUp));
  }
}

interface TimeLimit {
  readonly at: number;
  overdue(now: number): Overdue;
}

const NEVER: TimeLimit = {
  at: Number.POSITIVE_INFINITY,
  overdue: () => ({ reason: "is never overdue", fields: {} }),
};
