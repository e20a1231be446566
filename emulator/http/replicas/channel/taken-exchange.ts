/** A request from another replica in the form of Node's own server: a request to read and a response to write. */
import { Buffer } from "node:buffer";
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ForwardedSocket } from "../../operation/forwarded-request.ts";
import type { Exchange, ExchangeEvents } from "./channel.ts";
import type { RequestHead } from "./request-head.ts";

/** The response writes to this stream instead of a connection. */
class ExchangeSocket extends ForwardedSocket {
  readonly #exchange: Exchange;
  #held: (() => void) | undefined;

  constructor(exchange: Exchange) {
    super({ decodeStrings: false });
    this.#exchange = exchange;
  }

  /** Continues with data that was held back. */
  room(): void {
    const go = this.#held;
    this.#held = undefined;
    go?.();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    if (this.#exchange.write(bytes)) done();
    else this.#held = done;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Does nothing after a complete answer.
    this.#exchange.reset();
    done(error);
  }

  /** Members of a connection that Node's requests and responses use. */
  setTimeout(): this {
    return this;
  }
}

class TakenRequest extends IncomingMessage {
  readonly #exchange: Exchange;
  #unused = 0;

  constructor(socket: ExchangeSocket, exchange: Exchange, requestHead: RequestHead) {
    // The socket has every member that Node uses.
    super(socket as unknown as Socket);
    this.#exchange = exchange;
    this.method = requestHead.method;
    this.url = requestHead.url;
    this.rawHeaders = requestHead.rawHeaders;
    this.headers = requestHead.headers;
    this.httpVersion = "1.1";
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
  }

  receive(bytes: Buffer): void {
    this.#unused += bytes.length;
    if (this.push(bytes)) this.#used();
  }

  whole(): void {
    this.complete = true;
    this.push(null);
  }

  override _read(): void {
    this.#used();
  }

  #used(): void {
    if (this.#unused === 0) return;
    this.#exchange.used(this.#unused);
    this.#unused = 0;
  }
}

/** Lets `perform` answer the exchange. */
export function takeExchange(
  exchange: Exchange,
  requestHead: RequestHead,
  perform: RequestListener,
): ExchangeEvents {
  const socket = new ExchangeSocket(exchange);
  const request = new TakenRequest(socket, exchange, requestHead);
  const response = new ServerResponse(request);
  // Frames mark the end of the body.
  response.useChunkedEncodingByDefault = false;
  response.assignSocket(socket as unknown as Socket);
  // Node's own server signals the end of a response in this way.
  socket.on("drain", () => response.emit("drain"));
  response.once("finish", () => {
    exchange.end();
    // Also closes the response.
    socket.end();
    if (!request.complete) request.resume();
  });
  const lost = () => {
    socket.destroy();
    request.destroy();
  };
  perform(request, response);
  return {
    data: (bytes) => request.receive(bytes),
    ended: () => request.whole(),
    room: () => socket.room(),
    broken: lost,
    woken: () => socket.wake(),
  };
}
