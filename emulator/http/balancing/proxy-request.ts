/** Passes one request on to a worker's server, and its answer back, both as streams. */
import {
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { InFlight } from "../../engine/balancing/in-flight.ts";
import { type Exchange, refuse } from "../operation/answers/refuse.ts";
import { headersForClient, headersForWorker } from "./passed-headers.ts";
import type { BalancedTarget } from "./target.ts";

export interface ProxyOptions {
  readonly exchange: Exchange;
  readonly target: BalancedTarget;
  readonly assigned: InFlight;
  /** Connection to the worker's server; a new one for each request, because the server may be closing an old one. */
  readonly connection: Socket;
  readonly upgrade?: string;
}

const MAX_BYTES = LIMITS.balancedBodyMaxBytes;

export class ProxyRequest {
  readonly upstream: ClientRequest;
  readonly #exchange: Exchange;
  readonly #target: BalancedTarget;
  readonly #assigned: InFlight;
  readonly #done = Promise.withResolvers<void>();
  /** True once the answer or a refusal has begun. */
  #isAnswered = false;
  #hasFailed = false;
  #isOver = false;

  /** Begins to send the request. */
  constructor({ exchange, target, assigned, connection, upgrade }: ProxyOptions) {
    const { request, response, service } = exchange;
    this.#exchange = exchange;
    this.#target = target;
    this.#assigned = assigned;
    this.upstream = openRequest({
      createConnection: () => connection,
      method: request.method,
      path: target.path,
      headers: headersForWorker(request, service.callers.seen(request), target, upgrade),
    });
    this.upstream
      .on("error", (error) => this.#broken(error.message))
      .on("close", () => this.#broken("it closed the connection"))
      .on("continue", () => {
        if (!this.#isAnswered) response.writeContinue();
      })
      .on("response", (answer) => this.#passBack(answer));
    assigned.signal.addEventListener("abort", () => this.#fail(assigned.signal.reason));
    response.once("close", () => this.#over());
    this.upstream.flushHeaders();
    this.#passOn(request);
  }

  /** Settles when the answer was sent, or the client has gone or was disconnected. Never settles after `leave`. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Stops watching the connections, which were upgraded. */
  leave(): void {
    this.#isOver = true;
  }

  /** Answers with the error. If the answer has begun, disconnects the client, so that it notices the incomplete answer. */
  #fail(error: unknown): void {
    if (this.#isOver || this.#hasFailed) return;
    this.#hasFailed = true;
    const { response, service, request } = this.#exchange;
    if (this.#isAnswered) {
      const { workerId } = this.#assigned;
      const fields = { workerId, method: request.method, err: error };
      service.log.warn(fields, "an answer of a worker's server was cut off");
      response.destroy();
    } else {
      this.#isAnswered = true;
      refuse(this.#exchange, error);
    }
    this.upstream.destroy();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Tells the server if the client has gone.
    this.upstream.destroy();
    this.#done.resolve();
  }

  #passOn(request: IncomingMessage): void {
    copyBody(request, this.upstream, MAX_BYTES, {
      tooLarge: () => {
        // The client goes on sending after its answer.
        if (this.#isOver) request.destroy();
        else this.#fail(bodyTooLarge());
      },
      whole: () => {
        if (!this.upstream.writable) return;
        const trailers = pairsOf(request.rawTrailers);
        if (trailers.length > 0) this.upstream.addTrailers(trailers);
        this.upstream.end();
      },
    });
  }

  #passBack(answer: IncomingMessage): void {
    if (this.#isAnswered) return;
    const { response, service } = this.#exchange;
    const { workerId } = this.#assigned;
    if (isAnnouncedTooLarge(answer, this.#exchange.request.method)) {
      return this.#fail(new ServiceError("worker_failed", answerTooLarge(workerId)));
    }
    try {
      response.sendDate = false;
      if (service.stopping) response.shouldKeepAlive = false;
      const { statusCode = 502, statusMessage = "" } = answer;
      const way = { workerId, target: this.#target };
      const headers = headersForClient(answer, way, { withTrailers: takesTrailers(response) });
      response.writeHead(statusCode, statusMessage, headers);
      response.flushHeaders();
    } catch (error) {
      return this.#broken(`its answer cannot be passed on: ${String(error)}`);
    }
    this.#isAnswered = true;
    answer.on("error", (error) => this.#fail(error));
    answer.once("close", () => {
      if (!answer.complete) this.#fail(new Error("the worker broke off its answer"));
    });
    copyBody(answer, response, MAX_BYTES, {
      tooLarge: () => this.#fail(new Error(answerTooLarge(workerId))),
      whole: () => {
        if (!answer.complete) return;
        const trailers = pairsOf(answer.rawTrailers);
        if (trailers.length > 0 && takesTrailers(response)) response.addTrailers(trailers);
        response.end();
      },
    });
  }

  /** The server will not answer. Failures after the head of the answer are handled elsewhere. */
  #broken(how: string): void {
    if (this.#isAnswered) return;
    const message = `the server of worker ${this.#assigned.workerId} did not answer: ${how}`;
    this.#fail(new ServiceError("worker_failed", message));
  }
}

export function bodyTooLarge(): ServiceError {
  return new ServiceError("payload_too_large", `the body must be at most ${MAX_BYTES} bytes`);
}

function answerTooLarge(workerId: string): string {
  return `the answer of worker ${workerId} is larger than ${MAX_BYTES} bytes`;
}

function isAnnouncedTooLarge({ headers, statusCode }: IncomingMessage, method = ""): boolean {
  if (method === "HEAD" || statusCode === 304) return false;
  return Number(headers["content-length"] ?? 0) > MAX_BYTES;
}

/** Not for an answer that ends with its connection. */
function takesTrailers({ useChunkedEncodingByDefault }: ServerResponse): boolean {
  return useChunkedEncodingByDefault;
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return pairs;
}

interface CopyEvents {
  /** The body exceeds the limit; the rest is not copied. */
  tooLarge(): void;
  /** The body is copied completely; the caller ends `to`. */
  whole(): void;
}

/**
 * Copies a body no faster than it is read. Data that arrives after `to` was closed is discarded, up to the same limit: the
 * writer may be about to read the answer.
 */
function copyBody(from: Readable, to: Writable, maxBytes: number, events: CopyEvents): void {
  let bytes = 0;
  const resume = () => from.resume();
  from.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      from.removeAllListeners("data").pause();
      events.tooLarge();
      return;
    }
    if (to.writable && !to.write(chunk)) from.pause();
  });
  from.once("end", () => events.whole());
  to.on("drain", resume).once("close", resume);
}
