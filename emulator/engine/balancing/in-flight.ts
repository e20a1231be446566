/** A request that is assigned to a worker's server, until it has ended. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { ServerAddress } from "../../launch/launcher.ts";

export interface InFlightEvents {
  /** Called once, when the request is over. */
  ended(): void;
  /** The server refused the connection. */
  unreachable(): void;
}

export class InFlight implements Disposable {
  readonly workerId: string;
  readonly server: ServerAddress;
  readonly #over = Promise.withResolvers<void>();
  readonly #cutOff = new AbortController();
  readonly #events: InFlightEvents;
  #disarm: Disarm;
  #hasEnded = false;

  /** @param clock real time, in which servers work */
  constructor(clock: Clock, workerId: string, server: ServerAddress, events: InFlightEvents) {
    this.workerId = workerId;
    this.server = server;
    this.#events = events;
    const { balancedRequestMs } = LIMITS;
    this.#disarm = clock.wakeAt(clock.now() + balancedRequestMs, () => {
      const message = `the worker had not answered within ${balancedRequestMs / 1_000} s`;
      this.cutOff(new ServiceError("processing_timeout", message));
    });
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Aborts, with a ServiceError as its reason, when the request has to end without an answer. */
  get signal(): AbortSignal {
    return this.#cutOff.signal;
  }

  cutOff(reason: ServiceError): void {
    this.#cutOff.abort(reason);
  }

  /** The server refused the connection: the worker gets no requests until it is healthy again. Ends the request. */
  failedToReach(): void {
    this.#events.unreachable();
    this[Symbol.dispose]();
  }

  /** The request was upgraded, for example to a WebSocket, and may last without a limit. */
  upgraded(): void {
    this.#disarm();
  }

  /** Ends the request. Idempotent. */
  [Symbol.dispose](): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#disarm();
    this.#events.ended();
    this.#over.resolve();
  }
}
