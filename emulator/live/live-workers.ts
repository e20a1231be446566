/** The workers of the live dialect: workers of the service by their tokens, external ones by their ids. */
import { keyInToken } from "../../runtime/protocol/environment/worker-token.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { WorkerPort } from "../engine/workers/worker-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import type { WakePort } from "../engine/steps/wake-port.ts";
import type { CatalogPort } from "../engine/resources/catalog-port.ts";
import {
  type ExternalRef,
  findExternal,
  registerExternal,
} from "../engine/workers/external/external-workers.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import type { OpenSession } from "../engine/workers/session/worker-session.ts";
import { ServiceError } from "../core/service-error.ts";
import { LiveWorker } from "./live-worker.ts";

type LiveUses = StepPort & TimePort & WorkerPort & TellPort & WakePort & CatalogPort;

export class LiveWorkers {
  readonly #engine: LiveUses;
  readonly #openSession: OpenSession;
  readonly #live = new WeakMap<WorkerHandle, LiveWorker>();

  constructor(engine: LiveUses, openSession: OpenSession) {
    this.#engine = engine;
    this.#openSession = openSession;
  }

  /** The worker of that token. @throws ServiceError unauthorized if it is another worker than `ref`, or the token is not valid */
  withToken(token: string, { endpointId, workerId }: ExternalRef): LiveWorker {
    const worker = this.#engine.tokens.find(keyInToken(token));
    if (!worker)
      throw new ServiceError("unauthorized", "the key is not the token of a running worker");
    if (worker.id === workerId && worker.endpointId === endpointId) return this.#liveOf(worker);
    const message = `the key is that of worker "${worker.id}" of endpoint "${worker.endpointId}" and opens nothing else`;
    throw new ServiceError("unauthorized", message);
  }

  /** The worker with that id; undefined if it is not known. @throws ServiceError unauthorized if it is of another endpoint */
  find(ref: ExternalRef): LiveWorker | undefined {
    const worker = findExternal(this.#engine, ref);
    return worker && this.#liveOf(worker);
  }

  /** The worker with that id, registered if need be. @throws as `registerExternal` */
  register(ref: ExternalRef, keyId: string): LiveWorker {
    return this.#liveOf(registerExternal(this.#engine, ref, keyId));
  }

  /** Resolves when the live workers of the service have exited. Until then they may still report. */
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
