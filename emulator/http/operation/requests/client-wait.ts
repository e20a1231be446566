/** A client that waits for an answer: the signal fires when the client has gone, or its replica is stopping. */
import type { ServerResponse } from "node:http";
import { type ForwardedRequest, forwardedRequestOf, whenWoken } from "../forwarded-request.ts";
import { type HttpService, STOPPING } from "../service.ts";
import type { Abandonment } from "../../../engine/jobs/read/job-view.ts";

export class ClientWait implements Abandonment, Disposable {
  readonly #response: ServerResponse;
  /** Undefined if no other replica shares the store. */
  readonly #forwarded: ForwardedRequest | undefined;
  readonly #forget: () => void;
  /** Made when it is asked for, because most waits need none. */
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #onAbort: (() => void) | undefined;
  readonly #onClose = () => {
    // A complete response closes too.
    if (!this.#response.writableFinished) this.abort(GONE);
  };

  constructor(service: HttpService, response: ServerResponse) {
    this.#response = response;
    this.#forwarded = service.ownership && forwardedRequestOf(response.req);
    const { from, isShare } = this.#forwarded ?? {};
    const isPassedOn = from !== undefined && isShare !== true;
    // A forwarded wait is woken by the client's replica, any other one by this service's stop.
    this.#forget = isPassedOn
      ? NOTHING
      : service.wakeAtStop(this, isShare === true ? "end" : "stop");
    if (from !== undefined) whenWoken(response, () => this.abort(STOPPING));
    response.on("close", this.#onClose);
    if (response.destroyed) this.abort(GONE);
  }

  /** True once the client's replica is stopping; false if the client went first. */
  get isStopping(): boolean {
    return this.#reason === STOPPING && !this.#response.destroyed;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** For code that takes a signal. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** One listener at a time. */
  addEventListener(_: "abort", listener: () => void): void {
    this.#onAbort = listener;
  }

  removeEventListener(): void {
    this.#onAbort = undefined;
  }

  /** Later reasons do not count. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
    this.#onAbort?.();
  }

  [Symbol.dispose](): void {
    this.#forget();
    if (this.#forwarded?.from !== undefined) whenWoken(this.#response, undefined);
    this.#response.removeListener("close", this.#onClose);
  }
}

const NOTHING = () => undefined;
const GONE = new Error("the client has gone");
