/** Passes the answer of another replica on to the client, no faster than the client reads it. */
import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { HttpService } from "../operation/service.ts";
import { readAnswerHead } from "./answer-head.ts";
import type { Exchange, ExchangeEvents } from "./channel/channel.ts";
import type { PassedBody } from "./passed-body.ts";

/**
 * Outcome of a try: the client has its answer or has gone; the request belongs elsewhere and nothing was done; or the replica
 * has gone before it answered.
 */
export type TryEnd = "answered" | "gone" | "moved" | "broken";

export class PassedAnswer implements ExchangeEvents {
  readonly #service: Pick<HttpService, "stopping">;
  readonly #response: ServerResponse;
  readonly #body: PassedBody;
  readonly #end = Promise.withResolvers<TryEnd>();
  #exchange: Exchange | undefined;
  #head: Buffer | undefined;
  #isAnswering = false;
  /** Bytes that the client has not read. */
  #untaken = 0;
  readonly #drained = () => {
    this.#exchange?.used(this.#untaken);
    this.#untaken = 0;
  };
  readonly #closed = () => {
    this.#exchange?.reset();
    this.#finish("gone");
  };

  constructor(service: Pick<HttpService, "stopping">, response: ServerResponse, body: PassedBody) {
    this.#service = service;
    this.#response = response;
    this.#body = body;
    response.on("drain", this.#drained).once("close", this.#closed);
  }

  /** Settles with the outcome of the try. */
  follow(exchange: Exchange): Promise<TryEnd> {
    this.#exchange = exchange;
    return this.#end.promise;
  }

  data(bytes: Buffer): void {
    if (this.#isAnswering) this.#write(bytes);
    else this.#begin(bytes);
  }

  ended(): void {
    this.#exchange?.end();
    if (!this.#isAnswering) return this.broken();
    this.#finish("answered");
    this.#body.leave();
    this.#response.end();
  }

  room(): void {
    this.#body.room();
  }

  broken(): void {
    if (!this.#isAnswering) return this.#finish("broken");
    this.#finish("answered");
    // Closes the connection, so that the client notices the incomplete answer.
    this.#response.destroy();
  }

  woken(): void {
    // Never called: only the answering replica is woken.
  }

  #begin(bytes: Buffer): void {
    const head = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
    const read = readAnswerHead(head);
    this.#head = read === undefined ? head : undefined;
    if (read === undefined) return;
    if (read.isMoved) {
      this.#exchange?.reset();
      return this.#finish("moved");
    }
    const rest = head.subarray(read.end);
    if (read.status >= 200) {
      this.#isAnswering = true;
      this.#response.sendDate = false;
      if (this.#service.stopping) this.#response.shouldKeepAlive = false;
      this.#response.writeHead(read.status, read.statusMessage, read.headers);
      if (rest.length > 0) this.#write(rest);
      else this.#response.flushHeaders();
      return;
    }
    if (read.status === 100) this.#response.writeContinue();
    if (rest.length > 0) this.#begin(rest);
  }

  #write(bytes: Buffer): void {
    if (this.#response.write(bytes)) this.#exchange?.used(bytes.length);
    else this.#untaken += bytes.length;
  }

  #finish(end: TryEnd): void {
    if (end === "moved" || end === "broken") this.#body.hold();
    this.#response.off("drain", this.#drained).off("close", this.#closed);
    this.#end.resolve(end);
  }
}
