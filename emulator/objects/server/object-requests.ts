/** Answers requests to the object store: checks the caller, finds the operation, and sends its result. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { putInSandbox } from "../../net/sandbox.ts";
import type { FindHolder } from "../access-keys.ts";
import type { ObjectStore } from "../object-store.ts";
import type { S3Answer } from "../operations/operation.ts";
import { S3Error } from "../s3-error.ts";
import { type RawRequest, rawRequest } from "../signature/raw-request.ts";
import { verify } from "../signature/verify.ts";
import { IncomingBody } from "./incoming-body.ts";
import { type BasePath, requestOf } from "./request-of.ts";
import { type Exchange, sendAnswer, sendError } from "./send.ts";

/** The log for internal failures of the store. */
export interface ObjectLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Checks each request before its signature. Default: all callers are admitted. */
export type CallerLook = (request: IncomingMessage) =>
  | { readonly refusal: Error & { readonly status: number } }
  | {
      /** Headers of every answer. */
      readonly headers: Readonly<Record<string, string>>;
      /** True for a request that is answered with 204 alone. */
      readonly isPreflight: boolean;
      /** Scheme and host of the client's URL, which a proxy may have changed. Default: those of the request. */
      readonly seen?: { readonly scheme: "http" | "https"; readonly host: string | undefined };
    };

export interface ObjectRequestsOptions {
  readonly callers?: CallerLook | undefined;
  readonly store: ObjectStore;
  readonly holderOf: FindHolder;
  /** Wall time by which clients date their signatures, ms since the epoch. */
  readonly now: () => number;
  readonly log: ObjectLog;
}

export class ObjectRequests {
  readonly #options: ObjectRequestsOptions;
  readonly #inWork = new Set<Promise<void>>();

  constructor(options: ObjectRequestsOptions) {
    this.#options = options;
  }

  /**
   * Answers requests to the store below `basePath` of the server. There the store shares an origin with pages: objects are sandboxed,
   * so that no object is run as a page of that origin.
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

  /** Resolves when no request is being handled. A connection may close before its request is done. */
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
  // Loaded at the first request, which many services never get.
  const { operationOf } = await import("../operations/operations.ts");
  return operationOf(wanted)(wanted);
}

/** The request with the host that the client called and signed. */
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

function hasGone(request: IncomingMessage, response: ServerResponse): boolean {
  return response.destroyed || (request.destroyed && !request.complete);
}

/** The store for keys that open some buckets: other buckets are hidden. */
function limitedTo(store: ObjectStore, allowed: ReadonlySet<string> | undefined): ObjectStore {
  if (allowed === undefined) return store;
  const checked = (name: string): string => {
    if (allowed.has(name)) return name;
    throw new S3Error("AccessDenied", `these keys do not open the bucket "${name}"`, {
      BucketName: name,
    });
  };
  return {
    buckets: () => store.buckets().filter(({ name }) => allowed.has(name)),
    bucket: (name) => store.bucket(checked(name)),
    createBucket: (name) => store.createBucket(checked(name)),
    deleteBucket: async (name) => store.deleteBucket(checked(name)),
  };
}
