/** Requests of a worker of the live dialect: its headers, its limits, and connections that stay open. */
import { Buffer } from "node:buffer";
import type { Dispatcher } from "undici";
import { outgoing } from "../../proxies/outgoing.ts";

export interface LiveAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export interface LiveHttpOptions {
  /** Sent unchanged, without `Bearer`; default: no header. */
  readonly key: string | undefined;
  readonly userAgent: string;
}

/** Timeout of silence within an answer. */
const BODY_SILENCE_MS = 30_000;
/** Timeout from the start of a report to its answer; a large report takes long to send. */
const POST_LIMIT_MS = 120_000;

export class LiveHttp {
  // Pings, polls and reports must not wait for each other.
  readonly #agent = outgoing({ pipelining: 1, connections: null, allowH2: false });
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ key, userAgent }: LiveHttpOptions) {
    this.#headers = { "user-agent": userAgent, ...(key !== undefined && { authorization: key }) };
  }

  /**
   * Sends a poll. An answer that has begun is read to its end, even if `signal` aborts, because it may contain a job.
   *
   * @param limitMs timeout until the answer begins
   * @throws Error when there is no answer
   */
  get(url: string, limitMs: number, signal: AbortSignal): Promise<LiveAnswer> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    return this.#exchange(url, { method: "GET", headers, headersTimeout: limitMs }, signal);
  }

  /** Reports JSON text on a job. @throws Error without an answer */
  post(url: string, jobId: string, body: Uint8Array, signal: AbortSignal): Promise<LiveAnswer> {
    const headers = {
      ...this.#headers,
      // The type that the SDK sends. The queue reads JSON whatever the type is (live).
      "content-type": "application/x-www-form-urlencoded",
      charset: "utf-8",
      "x-request-id": encodeURIComponent(jobId),
    };
    const post = { method: "POST", headers, body, headersTimeout: POST_LIMIT_MS } as const;
    return this.#exchange(url, post, signal);
  }

  /** Uses undici's dispatcher: its streams would cost more than the answers. */
  #exchange(
    url: string,
    request: Omit<Dispatcher.DispatchOptions, "origin" | "path">,
    signal: AbortSignal,
  ): Promise<LiveAnswer> {
    const { origin, pathname, search } = new URL(url);
    const exchange = new Exchange(signal);
    this.#agent.dispatch(
      { ...request, origin, path: pathname + search, bodyTimeout: BODY_SILENCE_MS },
      exchange,
    );
    return exchange.answer;
  }

  /** Aborts all requests. Idempotent. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** One running request: sent → answered in part → answered; or aborted before the answer began. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #answer = Promise.withResolvers<LiveAnswer>();
  readonly #parts: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #contentType: string | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#breakOff();
    else signal.addEventListener("abort", this.#breakOff, { once: true });
  }

  get answer(): Promise<LiveAnswer> {
    return this.#answer.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#breakOff();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    { "content-type": contentType }: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#settled();
    this.#status = status;
    if (typeof contentType === "string") this.#contentType = contentType;
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.#parts.push(part);
  }

  onResponseEnd(): void {
    const [status, contentType] = [this.#status, this.#contentType];
    this.#answer.resolve({ status, contentType, body: Buffer.concat(this.#parts) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settled();
    this.#answer.reject(error);
  }

  readonly #breakOff = (): void => {
    const error = new Error("the request was aborted");
    this.#controller?.abort(error);
    this.#answer.reject(error);
  };

  /** From here on the request is not aborted. */
  #settled(): void {
    this.#signal.removeEventListener("abort", this.#breakOff);
  }
}

/** The text of an answer, for a log. */
export function answerText({ status, body }: LiveAnswer): string {
  const text = body.toString("utf8", 0, 300).trim();
  return text === "" ? String(status) : `${status}: ${text}`;
}
