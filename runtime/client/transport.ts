/** Sends requests over the client's own pool of connections, and turns every failure into one of our errors. */
// Imported by its file: Bun replaces the package's name by a module of its own.
import type { Readable } from "node:stream";
import { Pool, type Dispatcher } from "undici/index.js";
import { reasonOf } from "../protocol/reason-of.ts";
import { ClientClosedError, ConnectionError, InvalidResponseError } from "./errors/errors.ts";
import type { ClientSettings } from "./options.ts";
import { readRefusal } from "./errors/refusal.ts";
import { withRetries } from "./retry.ts";
import { serviceError } from "./errors/service-error.ts";

/** One request. `RetryOptions` decides about repetitions: a GET is repeated after temporary errors, a POST only after 429. */
export interface Call {
  readonly method: "GET" | "POST";
  /** The encoded path from `/v2` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, number | undefined>>;
  /** JSON text. */
  readonly body?: string;
  readonly accept?: string;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** Id of the last event before a stream broke off. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time for which the service may hold the answer, ms; added to the timeout of the answer. */
  readonly heldMs?: number;
  /** Maximum time from the first try to the beginning of the last one, ms; default: no limit. */
  readonly patienceMs?: number | undefined;
  /** Timeout without data within the body, ms; default `requestTimeoutMs`. */
  readonly idleMs?: number;
}

type Response = Dispatcher.ResponseData;
/** Declared without undici's types, because users of the client may not have that package. */
export type ResponseBody = Readable;

/** Codes of failures after which the request certainly did not arrive. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

export class Transport {
  readonly settings: ClientSettings;
  readonly #pool: Pool;
  readonly #basePath: string;
  #closed = false;

  constructor(settings: ClientSettings) {
    this.settings = settings;
    this.#pool = new Pool(settings.baseUrl.origin, { connections: settings.maxConnections });
    this.#basePath = settings.baseUrl.pathname.replace(/\/+$/, "");
  }

  /** The parsed body of a successful answer. */
  async json(call: Call): Promise<unknown> {
    return this.#repeated(call, async () => {
      const response = await this.#succeed(call);
      const text = await this.#text(call, response);
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        const message = `The answer to ${call.method} ${call.path} is not JSON. Is the base URL right?`;
        throw new InvalidResponseError(message, { cause });
      }
    });
  }

  /** The body of a successful answer, to be read by the caller; read errors go through `failure`. */
  async open(call: Call): Promise<ResponseBody> {
    return this.#repeated(call, async () => (await this.#succeed(call)).body);
  }

  /** The error for a failed connection during `call`. */
  failure(call: Call, cause: unknown): unknown {
    if (call.signal?.aborted === true) return call.signal.reason;
    if (this.#closed) return new ClientClosedError();
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    return new ConnectionError(
      `No answer to ${call.method} ${call.path} from ${this.settings.baseUrl.origin}: ${reasonOf(cause)}`,
      !NEVER_SENT.has(code),
      { cause },
    );
  }

  /** Aborts running requests. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pool.destroy();
  }

  #repeated<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { method, patienceMs, signal } = call;
    const repeatable = { idempotent: method === "GET", patienceMs, signal };
    return withRetries(this.settings, repeatable, attempt);
  }

  async #succeed(call: Call): Promise<Response> {
    const response = await this.#send(call);
    const { statusCode, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw serviceError(readRefusal(statusCode, headers, await this.#text(call, response)));
  }

  async #send(call: Call): Promise<Response> {
    call.signal?.throwIfAborted();
    if (this.#closed) throw new ClientClosedError();
    const { requestTimeoutMs, apiKey } = this.settings;
    try {
      return await this.#pool.request({
        method: call.method,
        path: this.#basePath + call.path + queryString(call.query),
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: call.accept ?? "application/json",
          "content-type": call.body === undefined ? undefined : "application/json",
          "last-event-id": call.lastEventId,
          traceparent: call.traceparent,
        },
        body: call.body ?? null,
        signal: call.signal ?? null,
        headersTimeout: (call.heldMs ?? 0) + requestTimeoutMs,
        bodyTimeout: call.idleMs ?? requestTimeoutMs,
      });
    } catch (error) {
      throw this.failure(call, error);
    }
  }

  async #text(call: Call, response: Response): Promise<string> {
    try {
      return await response.body.text();
    } catch (error) {
      throw this.failure(call, error);
    }
  }
}

function queryString(query: Call["query"]): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
