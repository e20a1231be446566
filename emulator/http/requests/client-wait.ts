/** A client that waits for an answer: the signal fires when the client has gone or the service stops. */
import type { ServerResponse } from "node:http";
import type { HttpService } from "../service.ts";

export class ClientWait implements Disposable {
  readonly #controller = new AbortController();
  readonly #response: ServerResponse;
  readonly #forget: () => void;
  readonly #onClose = () => {
    // A response that was sent completely is closed, too.
    if (!this.#response.writableFinished) this.#controller.abort(GONE);
  };

  constructor(service: HttpService, response: ServerResponse) {
    this.#response = response;
    this.#forget = service.wakeAtStop(this.#controller);
    response.once("close", this.#onClose);
    if (response.destroyed) this.#controller.abort(GONE);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#forget();
    this.#response.removeListener("close", this.#onClose);
  }
}

const GONE = new Error("the client has gone");
