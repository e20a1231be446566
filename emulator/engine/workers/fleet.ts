/** All workers of the service by id and by endpoint, and the choice of the one that gets the next job. */
import {
  movedState,
  NO_WORKERS,
  type WorkersByState,
} from "../../core/workers/workers-by-state.ts";
import type { WorkerState } from "../../core/workers/worker-life.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/** The worker counters of `/health` (the live service's six; the contract names idle and running). */
export interface WorkerCounts {
  readonly idle: number;
  readonly initializing: number;
  readonly ready: number;
  readonly running: number;
  readonly throttled: number;
  readonly unhealthy: number;
}

export class Fleet {
  readonly #workers = new Map<string, WorkerHandle>();
  readonly #byEndpoint = new Map<string, Set<WorkerHandle>>();
  readonly #states = new Map<string, WorkersByState>();
  readonly #throttled = new Map<string, number>();
  readonly #problems = new Map<string, string>();
  /** Endpoints with waiting jobs and possibly free workers. */
  readonly #onHold = new Set<string>();

  readonly #stateChanged: (worker: WorkerHandle, states: WorkersByState) => void;
  readonly #ownership: Pick<OwnedPartitions, "isLeaving"> | undefined;

  /**
   * @param stateChanged called with each worker that is added, and whenever its state changes, with those of its endpoint
   * @param ownership says which endpoints are on hold because they leave this replica; default: none
   */
  constructor(
    stateChanged: (worker: WorkerHandle, states: WorkersByState) => void,
    ownership?: Pick<OwnedPartitions, "isLeaving">,
  ) {
    this.#stateChanged = stateChanged;
    this.#ownership = ownership;
  }

  add(worker: WorkerHandle): void {
    this.#workers.set(worker.id, worker);
    const workers = this.#byEndpoint.get(worker.endpointId) ?? new Set();
    this.#byEndpoint.set(worker.endpointId, workers.add(worker));
    this.changed(worker, undefined);
  }

  /** The worker has another state than `before`, or was added. */
  changed(worker: WorkerHandle, before: WorkerState | undefined): void {
    this.#stateChanged(worker, this.#count(worker, before, worker.state));
  }

  remove(worker: WorkerHandle): void {
    this.#workers.delete(worker.id);
    const workers = this.#byEndpoint.get(worker.endpointId);
    if (workers?.delete(worker)) this.#count(worker, worker.state, undefined);
    if (workers?.size !== 0) return;
    this.#byEndpoint.delete(worker.endpointId);
    this.#states.delete(worker.endpointId);
  }

  find(workerId: string): WorkerHandle | undefined {
    return this.#workers.get(workerId);
  }

  workersOf(endpointId: string): readonly WorkerHandle[] {
    return [...(this.#byEndpoint.get(endpointId) ?? [])];
  }

  /** The worker of an endpoint that has only one. */
  onlyWorkerOf(endpointId: string): WorkerHandle | undefined {
    const workers = this.#byEndpoint.get(endpointId);
    if (workers?.size !== 1) return undefined;
    const [worker] = workers;
    return worker;
  }

  states(endpointId: string): WorkersByState {
    return this.#states.get(endpointId) ?? NO_WORKERS;
  }

  all(): readonly WorkerHandle[] {
    return [...this.#workers.values()];
  }

  /** Holds or releases the endpoint: no job of it is handed over while it is on hold. After a release the caller assigns free credit. */
  hold(endpointId: string, isOnHold: boolean): void {
    if (isOnHold) this.#onHold.add(endpointId);
    else this.#onHold.delete(endpointId);
  }

  isOnHold(endpointId: string): boolean {
    return this.#onHold.has(endpointId) || this.#ownership?.isLeaving(endpointId) === true;
  }

  /** The worker of the endpoint with the most free credit, so that load spreads. Undefined if none is free. */
  freest(endpointId: string): WorkerHandle | undefined {
    if (this.isOnHold(endpointId)) return undefined;
    let best: WorkerHandle | undefined;
    for (const worker of this.#byEndpoint.get(endpointId) ?? []) {
      if (worker.credit > (best?.credit ?? 0)) best = worker;
    }
    return best;
  }

  freeCredit(endpointId: string): number {
    if (this.isOnHold(endpointId)) return 0;
    let credit = 0;
    for (const worker of this.#byEndpoint.get(endpointId) ?? []) credit += worker.credit;
    return credit;
  }

  /** Sets how many workers the endpoint needs and cannot get. */
  setThrottled(endpointId: string, count: number): void {
    if (count === 0) this.#throttled.delete(endpointId);
    else this.#throttled.set(endpointId, count);
  }

  /** Sets the sentence about what keeps workers of the endpoint from starting. */
  setProblem(endpointId: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(endpointId);
    else this.#problems.set(endpointId, problem);
  }

  /** The newest reason why workers of the endpoint do not start, or failed: a sentence. Undefined if there is none. */
  problemOf(endpointId: string): string | undefined {
    for (const { launched } of this.#byEndpoint.get(endpointId) ?? []) {
      const obstacle = launched?.obstacle?.();
      if (obstacle !== undefined) return `a worker does not run yet: ${obstacle.reason}`;
    }
    return this.#problems.get(endpointId);
  }

  /**
   * `idle` and `ready` both count the workers that can start a job at once. `throttled` counts the workers that the endpoint
   * cannot get.
   */
  counts(endpointId: string): WorkerCounts {
    const throttled = this.#throttled.get(endpointId) ?? 0;
    const counts = { idle: 0, initializing: 0, ready: 0, running: 0, throttled, unhealthy: 0 };
    for (const worker of this.#byEndpoint.get(endpointId) ?? []) {
      if (worker.launched?.obstacle?.()?.isThrottled === true) counts.throttled += 1;
      else if (worker.state === "initializing") counts.initializing += 1;
      else if (worker.state === "unhealthy" || worker.state === "lost") counts.unhealthy += 1;
      else if (worker.heldCount > 0) counts.running += 1;
      else if (worker.state === "ready") counts.idle += 1;
    }
    counts.ready = counts.idle;
    return counts;
  }

  /** An endpoint may have many workers, so only the changed one is looked at. */
  #count(
    { endpointId }: WorkerHandle,
    before: WorkerState | undefined,
    after: WorkerState | undefined,
  ): WorkersByState {
    const states = movedState(this.states(endpointId), before, after);
    this.#states.set(endpointId, states);
    return states;
  }
}
