/** The router, made with the first request it is for: of what a start costs, making it is the largest part. */
import type { RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { answerClientError } from "./client-error.ts";
import { refusalAt } from "./dialect.ts";
import { CONTRACT_DIALECT } from "./dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "./dialects/live-dialect.ts";
import { buildRouter } from "./routing.ts";
import type { HttpService } from "./service.ts";

export class LaterRouter {
  readonly #service: HttpService;
  readonly #server: Server;
  #opening: Promise<RequestListener> | undefined;
  #app: FastifyInstance | undefined;
  #opened: RequestListener | undefined;

  constructor(service: HttpService, server: Server) {
    this.#service = service;
    this.#server = server;
    server.on("clientError", answerEarly);
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
    this.#app = buildRouter(this.#service, [CONTRACT_DIALECT, LIVE_DIALECT], (own) => {
      // From now on the router answers such clients.
      this.#server.off("clientError", answerEarly);
      resolve(own);
      return this.#server;
    });
    await this.#app.ready();
    this.#opened = await promise;
    return this.#opened;
  }
}

/** What is no HTTP before there was any request. */
function answerEarly(error: Error, socket: Duplex): void {
  answerClientError(refusalAt(CONTRACT_DIALECT, "/"), error, socket);
}
