/** A request that a worker's server is working on, from its assignment to its end. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { ServerAddress } from "../../launch/launcher.ts";

export interface InFlightEvents {
  /** Called once, when the request is over. */
  ended(): void;
  /** The server took no connection. */
  unreachable(): void;
}

export class InFlight implements Disposable {
  readonly workerId: string;
  readonly server: ServerAddress;
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

  /** Aborts, with a ServiceError as its reason, when the request has to end although it is not answered. */
  get signal(): AbortSignal {
    return this.#cutOff.signal;
  }

  cutOff(reason: ServiceError): void {
    this.#cutOff.abort(reason);
  }

  /** The server took no connection for it: the worker gets no more requests until it is healthy again. Ends the request. */
  failedToReach(): void {
    this.#events.unreachable();
    this[Symbol.dispose]();
  }

  /** It has become a conversation, which lasts as long as its two ends want. */
  lasts(): void {
    this.#disarm();
  }

  /** It is over. Idempotent. */
  [Symbol.dispose](): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#disarm();
    this.#events.ended();
  }
}
