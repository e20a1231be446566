/** Assigns requests of load balancing endpoints to workers: at once, or as soon as one is healthy; tracks those in flight. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { type Affinity, chooseWorker } from "../../core/balancing/choose-worker.ts";
import type { Demand } from "../../core/workers/scaler.ts";
import type { Clock } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { ServerAddress } from "../../launch/launcher.ts";
import { endpointMoved } from "../steps/state/endpoint-moved.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import type { Directory } from "../resources/directory.ts";
import type { Fleet } from "../workers/fleet.ts";
import type { WorkerMover } from "../workers/move-worker.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";
import { InFlight } from "./in-flight.ts";
import { RequestsOfWorkers } from "./requests-of-workers.ts";

interface Waiting {
  readonly since: number;
  readonly affinity: Affinity;
  readonly resolve: (assigned: InFlight) => void;
  readonly reject: (error: unknown) => void;
}

export interface BalancerParts {
  /** Service time. */
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly directory: Pick<Directory, "balanced">;
  readonly fleet: Pick<Fleet, "problemOf" | "workersOf">;
  readonly endpointChanged: (endpointId: string) => void;
  readonly mover: Pick<WorkerMover, "move">;
  readonly ownership: Pick<OwnedPartitions, "isHeldBack" | "refuseMoved">;
}

export class Balancer {
  readonly #parts: BalancerParts;
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #requests: RequestsOfWorkers;

  constructor(parts: BalancerParts) {
    this.#parts = parts;
    this.#requests = new RequestsOfWorkers(parts.realClock);
  }

  /**
   * The worker for a request; waits for one if none is healthy.
   *
   * @param signal its reason is thrown when it aborts while the request waits
   * @throws ServiceError endpoint_not_found, wrong_endpoint_type; no_worker_available, worker_timeout after the wait;
   *   affinity_worker_gone; rate_limited when too many wait already; endpoint_moved
   */
  async assign(endpointId: string, affinity: Affinity, signal: AbortSignal): Promise<InFlight> {
    signal.throwIfAborted();
    const assigned = this.#choose(endpointId, affinity);
    if (assigned) return assigned;
    const count = this.#waiting.get(endpointId)?.size ?? 0;
    if (count < LIMITS.balancedWaitingMax) return this.#wait(endpointId, affinity, signal);
    const message = `${count} requests wait for a worker of the endpoint "${endpointId}" already`;
    throw new ServiceError("rate_limited", message, { retryAfterMs: 1_000 });
  }

  /** The demand that the scaler counts, without requests that wait for one particular worker. */
  demand(endpointId: string): Demand {
    const waiting = [...(this.#waiting.get(endpointId) ?? [])];
    const [first, ...others] = waiting.filter(({ affinity }) => affinity.mode !== "strict-resume");
    const workers = this.#parts.fleet.workersOf(endpointId);
    return {
      waiting: first === undefined ? 0 : others.length + 1,
      running: workers.reduce((sum, { heldCount }) => sum + heldCount, 0),
      waitingSince: first?.since,
    };
  }

  /** Assigns or refuses waiting requests, first come, first served, and limits the time of requests on leaving workers. */
  dispatch(endpointId: string): void {
    for (const worker of this.#parts.fleet.workersOf(endpointId)) {
      if (worker.state === "draining") this.#requests.limit(worker);
    }
    for (const waiting of this.#waiting.get(endpointId) ?? []) {
      try {
        const assigned = this.#choose(endpointId, waiting.affinity);
        if (assigned) waiting.resolve(assigned);
      } catch (error) {
        waiting.reject(error);
      }
    }
  }

  /** Resolves when the present requests to the meant endpoints have ended. */
  async ended(isMeant: (endpointId: string) => boolean): Promise<void> {
    await Promise.all(this.#requests.of(isMeant).map(({ over }) => over));
  }

  /** Refuses waiting requests for endpoints that have moved. */
  abandon(isMeant: (endpointId: string) => boolean): void {
    for (const [endpointId, waiting] of [...this.#waiting].filter(([id]) => isMeant(id)))
      for (const { reject } of waiting) reject(endpointMoved({ endpointId }));
  }

  #choose(endpointId: string, affinity: Affinity): InFlight | undefined {
    const { directory, fleet, ownership } = this.#parts;
    ownership.refuseMoved(endpointId);
    if (ownership.isHeldBack(endpointId)) return undefined;
    const { version } = directory.balanced(endpointId);
    const choice = chooseWorker(fleet.workersOf(endpointId), version, affinity);
    if (choice === "wait") return undefined;
    if (choice !== "gone" && choice.worker.server !== undefined) {
      return this.#begin(choice.worker, choice.worker.server);
    }
    const message = "the worker that was asked for takes no requests of this endpoint (any more)";
    throw new ServiceError("affinity_worker_gone", message);
  }

  #begin(worker: WorkerHandle, server: ServerAddress): InFlight {
    const { clock, realClock, endpointChanged, mover } = this.#parts;
    const request = new InFlight(realClock, worker.id, server, {
      ended: () => {
        worker.endRequest(clock.now());
        this.#requests.remove(worker, request);
        // A stopping service makes no scaling decisions, so the worker is told to leave here.
        if (worker.heldCount === 0) mover.move(worker, "send-drain");
        endpointChanged(worker.endpointId);
      },
      unreachable: () => void mover.move(worker, "refuse-connection"),
    });
    worker.beginRequest();
    this.#requests.add(worker, request);
    endpointChanged(worker.endpointId);
    return request;
  }

  async #wait(endpointId: string, affinity: Affinity, signal: AbortSignal): Promise<InFlight> {
    const { clock, endpointChanged, fleet } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<InFlight>();
    const waiting = this.#waiting.get(endpointId) ?? new Set();
    this.#waiting.set(endpointId, waiting);
    const resumes = affinity.mode === "strict-resume";
    const waitMs = resumes ? LIMITS.balancedResumeMs : LIMITS.balancedWaitMs;
    const leave = () => {
      disarm();
      signal.removeEventListener("abort", giveUp);
      waiting.delete(entry);
      if (waiting.size === 0) this.#waiting.delete(endpointId);
    };
    const entry: Waiting = {
      since: clock.now(),
      affinity,
      resolve: (assigned) => {
        leave();
        resolve(assigned);
      },
      reject: (error) => {
        leave();
        reject(error);
        endpointChanged(endpointId);
      },
    };
    const giveUp = () => entry.reject(signal.reason);
    const disarm = clock.wakeAt(clock.now() + waitMs, () =>
      entry.reject(tooLate(resumes, waitMs, fleet.problemOf(endpointId))),
    );
    signal.addEventListener("abort", giveUp, { once: true });
    waiting.add(entry);
    endpointChanged(endpointId);
    return promise;
  }
}

/** @param problem why workers do not start, if that is known */
function tooLate(
  resumes: boolean,
  waitMs: number,
  problem = "its log says what its workers do",
): ServiceError {
  const within = `within ${waitMs / 1_000} s`;
  return resumes
    ? new ServiceError("worker_timeout", `the worker that was asked for was not healthy ${within}`)
    : new ServiceError(
        "no_worker_available",
        `no worker of the endpoint was healthy ${within}; ${problem}`,
      );
}
