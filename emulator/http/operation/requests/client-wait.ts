/** A client that waits for an answer: the signal fires when the client has gone, or its replica is stopping. */
import type { ServerResponse } from "node:http";
import { type ForwardedRequest, forwardedRequestOf, whenWoken } from "../forwarded-request.ts";
import { type HttpService, STOPPING } from "../service.ts";

export class ClientWait implements Disposable {
  readonly #controller = new AbortController();
  readonly #response: ServerResponse;
  /** Undefined if no other replica shares the store. */
  readonly #forwarded: ForwardedRequest | undefined;
  readonly #forget: () => void;
  readonly #onClose = () => {
    // A complete response closes too.
    if (!this.#response.writableFinished) this.#controller.abort(GONE);
  };

  constructor(service: HttpService, response: ServerResponse) {
    this.#response = response;
    this.#forwarded = service.ownership && forwardedRequestOf(response.req);
    const { from, isShare } = this.#forwarded ?? {};
    const isPassedOn = from !== undefined && isShare !== true;
    // A forwarded wait is woken by the client's replica, any other one by this service's stop.
    this.#forget = isPassedOn
      ? NOTHING
      : service.wakeAtStop(this.#controller, isShare === true ? "end" : "stop");
    if (from !== undefined) whenWoken(response, () => this.#controller.abort(STOPPING));
    response.once("close", this.#onClose);
    if (response.destroyed) this.#controller.abort(GONE);
  }

  /** True once the client's replica is stopping; false if the client went first. */
  get isStopping(): boolean {
    return this.signal.reason === STOPPING && !this.#response.destroyed;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#forget();
    if (this.#forwarded?.from !== undefined) whenWoken(this.#response, undefined);
    this.#response.removeListener("close", this.#onClose);
  }
}

const NOTHING = () => undefined;
const GONE = new Error("the client has gone");
