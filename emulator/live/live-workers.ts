/** The workers of the live dialect: those that the service started, by their tokens, and external ones, by their ids. */
import type { Uses } from "../engine/context.ts";
import { WorkerHandle } from "../engine/workers/worker-handle.ts";
import type { OpenSession } from "../engine/workers/worker-session.ts";
import { ServiceError } from "../core/service-error.ts";
import { LiveWorker } from "./live-worker.ts";

/** A worker by its id, and the endpoint it says it works for. */
export interface LiveWorkerRef {
  readonly endpointId: string;
  readonly workerId: string;
}

type LiveUses = Uses<
  "clock" | "directory" | "fleet" | "log" | "mover" | "realClock" | "steps" | "tokens"
>;

export class LiveWorkers {
  readonly #engine: LiveUses;
  readonly #openSession: OpenSession;
  readonly #live = new WeakMap<WorkerHandle, LiveWorker>();

  constructor(engine: LiveUses, openSession: OpenSession) {
    this.#engine = engine;
    this.#openSession = openSession;
  }

  /** The worker of that token. @throws ServiceError unauthorized if that is another one than `ref`, or the token is not valid */
  withToken(token: string, { endpointId, workerId }: LiveWorkerRef): LiveWorker {
    const worker = this.#engine.tokens.find(token);
    if (!worker)
      throw new ServiceError(
        "unauthorized",
        "the key is no worker's token, or of one that has ended",
      );
    if (worker.id === workerId && worker.endpointId === endpointId) return this.#liveOf(worker);
    const message = `the key is that of worker "${worker.id}" of endpoint "${worker.endpointId}" and opens nothing else`;
    throw new ServiceError("unauthorized", message);
  }

  /** The worker with that id; undefined if it is not known. @throws ServiceError unauthorized when another endpoint has it */
  find({ endpointId, workerId }: LiveWorkerRef): LiveWorker | undefined {
    const worker = this.#engine.fleet.find(workerId);
    if (!worker || worker.endpointId === endpointId) return worker && this.#liveOf(worker);
    const message = `worker "${workerId}" belongs to the endpoint "${worker.endpointId}"; choose another id`;
    throw new ServiceError("unauthorized", message);
  }

  /**
   * The worker with that id; an unknown one is registered as an external worker of the endpoint, for as long as messages
   * come from it.
   *
   * @throws ServiceError endpoint_not_found, wrong_endpoint_type, unauthorized
   */
  register(ref: LiveWorkerRef): LiveWorker {
    const { directory, fleet, clock, realClock, log } = this.#engine;
    const { endpointId, workerId } = ref;
    const endpoint = directory.queue(endpointId);
    const known = this.find(ref);
    if (known) return known;
    const worker = new WorkerHandle({
      id: workerId,
      endpointId,
      endpointVersion: endpoint.version,
      startedAt: clock.now(),
      realNow: () => realClock.now(),
      isExternal: true,
    });
    fleet.add(worker);
    log.info({ workerId, endpointId }, "an external worker was registered");
    return this.#liveOf(worker);
  }

  /** Settles when the live workers that the service started have exited: until then they may still report. */
  async allExited(): Promise<void> {
    const staying = this.#engine.fleet
      .all()
      .filter((worker) => worker.hasProcess && this.#live.has(worker));
    await Promise.all(staying.map(({ gone }) => fired(gone)));
  }

  #liveOf(worker: WorkerHandle): LiveWorker {
    const known = this.#live.get(worker);
    if (known) return known;
    if (worker.connected) {
      const message = `worker "${worker.id}" has a session of another protocol`;
      throw new ServiceError("unauthorized", message);
    }
    const live = new LiveWorker(this.#engine, worker, this.#openSession);
    this.#live.set(worker, live);
    return live;
  }
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
