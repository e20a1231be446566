/** The body of a request, passed on as it arrives. Its beginning is kept for another try. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Exchange } from "./channel/channel.ts";
import { KEPT_MAX_BYTES } from "../operation/requests/kept-body.ts";

export class PassedBody {
  readonly #request: IncomingMessage;
  #kept: Buffer[] | undefined = [];
  #keptBytes = 0;
  #hasEnded: boolean;
  #to: Exchange | undefined;

  /** @param known the whole body, if it was already read */
  constructor(request: IncomingMessage, known?: Buffer) {
    this.#request = request;
    this.#hasEnded = known !== undefined || request.readableEnded;
    if (known !== undefined) this.#kept = [known];
  }

  /** Whether the body can be passed on again from its beginning. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  passTo(exchange: Exchange): void {
    const isFirst = this.#to === undefined;
    this.#to = exchange;
    for (const bytes of this.#kept ?? []) exchange.write(bytes);
    if (this.#hasEnded) exchange.end();
    else if (isFirst) this.#read();
    else this.#request.resume();
  }

  /** The exchange has room again. */
  room(): void {
    this.#request.resume();
  }

  /** Pauses between two tries: no more can be kept than the beginning. */
  hold(): void {
    this.#request.pause();
  }

  /** Passes nothing on any more; further data is discarded. */
  leave(): void {
    this.#to = undefined;
    this.#kept = undefined;
    this.#request.resume();
  }

  #read(): void {
    const request = this.#request;
    request.on("data", (bytes: Buffer) => {
      this.#keep(bytes);
      if (this.#to?.write(bytes) === false) request.pause();
    });
    request.once("end", () => {
      this.#hasEnded = true;
      this.#to?.end();
    });
  }

  #keep(bytes: Buffer): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > KEPT_MAX_BYTES) this.#kept = undefined;
    this.#kept?.push(bytes);
  }
}
