/** Answers requests to the object store: checks who asks, finds the operation, and sends its result. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { putInSandbox } from "../../net/sandbox.ts";
import type { FindHolder } from "../access-keys.ts";
import { limitedTo } from "../limited-store.ts";
import type { ObjectStore } from "../object-store.ts";
import type { S3Answer } from "../operations/operation.ts";
import { S3Error } from "../s3-error.ts";
import { type RawRequest, rawRequest } from "../signature/raw-request.ts";
import { verify } from "../signature/verify.ts";
import { IncomingBody } from "./incoming-body.ts";
import { type BasePath, requestOf } from "./request-of.ts";
import { type Exchange, sendAnswer, sendError } from "./send.ts";

/** Where the store says what went wrong within it. */
export interface ObjectLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Asked of each request before its signature is; by default all may call. */
export type CallerLook = (request: IncomingMessage) =>
  | { readonly refusal: Error & { readonly status: number } }
  | {
      /** For whatever is answered. */
      readonly headers: Readonly<Record<string, string>>;
      /** Answered with 204 and nothing else. */
      readonly isPreflight: boolean;
      /** How the client called, which a proxy may have changed; by default as the request says. */
      readonly seen?: { readonly scheme: "http" | "https"; readonly host: string | undefined };
    };

export interface ObjectRequestsOptions {
  readonly callers?: CallerLook | undefined;
  readonly store: ObjectStore;
  /** Who has an access key, and what it may do. */
  readonly holderOf: FindHolder;
  /** Wall time, ms since the epoch; that by which clients date their signatures. */
  readonly now: () => number;
  readonly log: ObjectLog;
}

/** All requests to one store, whichever server they come by. */
export class ObjectRequests {
  readonly #options: ObjectRequestsOptions;
  readonly #inWork = new Set<Promise<void>>();

  constructor(options: ObjectRequestsOptions) {
    this.#options = options;
  }

  /**
   * Answers requests to the store, which begins at `basePath` of the server's addresses. Below a path it shares an origin with
   * pages, and no object becomes one of them.
   */
  listener(basePath: BasePath): RequestListener {
    return (request, response) => {
      if (basePath !== "") putInSandbox(response);
      const exchange = { id: randomBytes(8).toString("hex").toUpperCase(), request, response };
      const work = serve(this.#options, basePath, exchange);
      this.#inWork.add(work);
      void work.finally(() => this.#inWork.delete(work));
    };
  }

  /** Resolves when no request is being worked on; a connection may be gone before the work for it has ended. */
  async settle(): Promise<void> {
    while (this.#inWork.size > 0) await Promise.all(this.#inWork);
  }
}

/** Never rejects. */
async function serve(
  options: ObjectRequestsOptions,
  basePath: BasePath,
  exchange: Exchange,
): Promise<void> {
  try {
    await sendAnswer(exchange, await answer(options, basePath, exchange));
  } catch (error) {
    refuse(options.log, exchange, error);
  }
}

async function answer(
  { callers, store, holderOf, now }: ObjectRequestsOptions,
  basePath: BasePath,
  { request, response }: Exchange,
): Promise<S3Answer> {
  const { headers, isPreflight, seen } = admitted(callers, request);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (isPreflight) return { status: 204 };
  const { method = "", url = "", rawHeaders } = request;
  const raw = calledAs(rawRequest(method, url, rawHeaders), seen?.host);
  const verified = verify(raw, holderOf, now());
  const body = new IncomingBody(request, response, raw.headers, verified);
  const scheme = seen?.scheme ?? "http";
  const given = { body, store: limitedTo(store, verified.buckets), scheme };
  const wanted = requestOf(raw, verified.isPresigned, basePath, given);
  // Loaded with the first request: many starts see none, and would wait for it.
  const { operationOf } = await import("../operations/operations.ts");
  return operationOf(wanted)(wanted);
}

/** The client has signed the host that it called. */
function calledAs(raw: RawRequest, host: string | undefined): RawRequest {
  if (host === undefined || raw.headers.get("host") === host) return raw;
  return { ...raw, headers: new Map(raw.headers).set("host", host) };
}

/** @throws S3Error AccessDenied, InvalidRequest */
function admitted(callers: CallerLook | undefined, request: IncomingMessage) {
  const verdict = callers?.(request) ?? { headers: {}, isPreflight: false, seen: undefined };
  if (!("refusal" in verdict)) return verdict;
  const { status, message } = verdict.refusal;
  throw new S3Error(status === 400 ? "InvalidRequest" : "AccessDenied", message);
}

function refuse(log: ObjectLog, exchange: Exchange, error: unknown): void {
  const { id, request, response } = exchange;
  if (hasGone(request, response)) return;
  const known = error instanceof S3Error ? error : undefined;
  if (!known || known.code === "InsufficientStorage") {
    const [path] = (request.url ?? "").split("?", 1);
    const fields = { requestId: id, method: request.method, path, err: known?.cause ?? error };
    if (known) log.warn(fields, "the object store has no room left on its disk");
    else log.error(fields, "a request to the object store could not be answered");
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const shown =
    known ??
    new S3Error(
      "InternalError",
      `something went wrong in the store; its log says more under ${id}`,
    );
  sendError(exchange, shown);
}

/** There is nobody to answer any more. */
function hasGone(request: IncomingMessage, response: ServerResponse): boolean {
  return response.destroyed || (request.destroyed && !request.complete);
}
