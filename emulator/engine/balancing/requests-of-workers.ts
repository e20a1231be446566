/** Tracks the requests of each worker's server, and limits their time once the worker has to leave. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";
import type { InFlight } from "./in-flight.ts";

interface Requests {
  readonly inFlight: Set<InFlight>;
  /** Set once the worker has to leave. */
  disarm: Disarm | undefined;
}

export class RequestsOfWorkers {
  readonly #clock: Clock;
  readonly #ofWorkers = new Map<WorkerHandle, Requests>();

  /** `clock` is real time. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(worker: WorkerHandle, request: InFlight): void {
    const requests = this.#ofWorkers.get(worker) ?? { inFlight: new Set(), disarm: undefined };
    requests.inFlight.add(request);
    this.#ofWorkers.set(worker, requests);
  }

  remove(worker: WorkerHandle, request: InFlight): void {
    const requests = this.#ofWorkers.get(worker);
    if (requests === undefined) return;
    requests.inFlight.delete(request);
    if (requests.inFlight.size > 0) return;
    requests.disarm?.();
    this.#ofWorkers.delete(worker);
  }

  of(isMeant: (endpointId: string) => boolean): readonly InFlight[] {
    return [...this.#ofWorkers].flatMap(([{ endpointId }, { inFlight }]) =>
      isMeant(endpointId) ? [...inFlight] : [],
    );
  }

  /** Limits the worker's requests to the time limit of any request, also upgraded connections. Idempotent. */
  limit(worker: WorkerHandle): void {
    const requests = this.#ofWorkers.get(worker);
    if (requests === undefined || requests.disarm !== undefined) return;
    const clock = this.#clock;
    requests.disarm = clock.wakeAt(clock.now() + LIMITS.balancedRequestMs, () => {
      const error = new ServiceError("worker_failed", "the worker has to leave");
      for (const request of requests.inFlight) request.cutOff(error);
    });
  }
}
