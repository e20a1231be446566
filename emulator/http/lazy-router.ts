/** The router of a dialect, made with the first request it is for: of what a start costs, making it is the largest part. */
import type { RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { answerClientError } from "./answers/client-error.ts";
import { type Dialect, refusalAt } from "./dialect.ts";
import { buildRouter } from "./routing.ts";
import type { HttpService } from "./service.ts";

export class LazyRouter {
  readonly #service: HttpService;
  readonly #dialect: Dialect;
  readonly #server: Server;
  #opening: Promise<RequestListener> | undefined;
  #app: FastifyInstance | undefined;
  #opened: RequestListener | undefined;

  /** @param server what clients that send no HTTP are answered for; one that listens has one router */
  constructor(service: HttpService, dialect: Dialect, server: Server) {
    this.#service = service;
    this.#dialect = dialect;
    this.#server = server;
    server.on("clientError", this.#answerEarly);
  }

  readonly listener: RequestListener = (request, response) => {
    if (this.#opened !== undefined) return this.#opened(request, response);
    this.#opening ??= this.#open();
    void this.#opening.then((opened) => opened(request, response));
  };

  async close(): Promise<void> {
    await this.#opening;
    await this.#app?.close();
  }

  async #open(): Promise<RequestListener> {
    const { promise, resolve } = Promise.withResolvers<RequestListener>();
    this.#app = buildRouter(this.#service, this.#dialect, (own) => {
      // From now on the router answers such clients.
      this.#server.off("clientError", this.#answerEarly);
      resolve(own);
      return this.#server;
    });
    await this.#app.ready();
    this.#opened = await promise;
    return this.#opened;
  }

  /** Answers who sends something that is no HTTP, until the router is there to do so. */
  readonly #answerEarly = (error: Error, socket: Duplex): void => {
    answerClientError(refusalAt(this.#dialect, "/"), error, socket);
  };
}
