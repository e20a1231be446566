/** Requests a file over HTTP, follows redirects, and resumes a broken transfer. */
import { Buffer } from "node:buffer";
import { type Dispatcher, interceptors } from "undici";
import { outgoing } from "../../proxies/outgoing.ts";
import type { ByteRange, FetchTerms, Incoming } from "../object-store.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { redirectOf } from "../../protocol/redirect.ts";
import { NETWORK_CODES, RETRY } from "../retry.ts";
import { StorageError } from "../storage-error.ts";
import { guardedOutgoing } from "./address-guard.ts";
import { HttpFailure } from "./http-failure.ts";
import { loopbackHint } from "./loopback-hint.ts";

const CONNECTION_LIMIT_MS = 10_000;
/** Maximum bytes that are read of a server's message about a failure. */
const EXPLANATION_BYTES = 2_000;

export interface OpenTerms extends FetchTerms {
  readonly maxRedirects: number;
  readonly forbidPrivateAddresses?: boolean;
  /** Default: `sv-runtime`. */
  readonly userAgent?: string;
  /** Sent to the origin of the URL only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allowed connections; default: `forbidPrivateAddresses`. */
  readonly dispatcher?: Dispatcher;
}

type Sent = Readonly<Record<string, string>>;

let anyAddress: Dispatcher | undefined;
let publicAddresses: Dispatcher | undefined;

/**
 * Resolves when the file begins to arrive. Later failures are errors of the stream.
 *
 * @throws HttpFailure
 * @throws StorageError `download_forbidden_address`
 * @throws the signal's reason when it aborts
 */
export async function openUrl(url: URL, terms: OpenTerms): Promise<Incoming> {
  const own = new Headers(basicAuthorization(url));
  for (const [name, value] of Object.entries(terms.headers ?? {})) own.set(name, value);
  let at = url;
  for (let hops = 0; ; hops++) {
    const headers = at.origin === url.origin ? Object.fromEntries(own) : {};
    const response = await ask(at, headers, terms);
    const next = redirectOf(response.statusCode, response.headers["location"], at);
    if (next === undefined) return incoming(response, at, terms.range === undefined ? 200 : 206);
    await response.body.dump();
    if (hops >= terms.maxRedirects) {
      throw new HttpFailure(url, response.statusCode, `after ${hops} redirects, with another`);
    }
    if (!/^https?:$/.test(next.protocol)) {
      throw new HttpFailure(at, response.statusCode, `a redirect to an ${next.protocol} address`);
    }
    at = next;
  }
}

/** A URL with a user or a password in it asks for this header. */
function basicAuthorization({ username, password }: URL): Sent {
  if (username === "" && password === "") return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function ask(url: URL, headers: Sent, terms: OpenTerms): Promise<Dispatcher.ResponseData> {
  const { idleTimeoutMs, signal, range, dispatcher = ownDispatcher(terms) } = terms;
  try {
    return await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: "GET",
      headers: {
        "user-agent": terms.userAgent ?? "sv-runtime",
        ...headers,
        ...(range && { range: rangeText(range) }),
      },
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      signal,
    });
  } catch (failure) {
    signal.throwIfAborted();
    throw unanswered(failure, url);
  }
}

function rangeText({ offset, sizeBytes }: ByteRange): string {
  return `bytes=${offset}-${offset + sizeBytes - 1}`;
}

/** Describes an error of undici in a sentence. */
function unanswered(failure: unknown, url: URL): unknown {
  if (failure instanceof StorageError || !(failure instanceof Error)) return failure;
  const code = "code" in failure && typeof failure.code === "string" ? failure.code : undefined;
  const reason = reasonOf(failure);
  const hint = loopbackHint(reason, url.hostname);
  return new HttpFailure(url, undefined, reason + hint, { code });
}

async function incoming(
  response: Dispatcher.ResponseData,
  url: URL,
  wanted: number,
): Promise<Incoming> {
  const { statusCode, headers, body } = response;
  if (statusCode !== wanted) {
    const region = String(headers["x-amz-bucket-region"] ?? "") || undefined;
    throw new HttpFailure(url, statusCode, await beginningOf(body), { region });
  }
  const { "content-length": length, "content-type": type } = headers;
  return {
    stream: body,
    ...(typeof length === "string" ? { sizeBytes: Number(length) } : {}),
    ...(typeof type === "string" ? { contentType: type } : {}),
  };
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes >= EXPLANATION_BYTES) break;
  }
  return Buffer.concat(pieces).toString("utf8", 0, EXPLANATION_BYTES);
}

function ownDispatcher({ forbidPrivateAddresses = false }: OpenTerms): Dispatcher {
  if (forbidPrivateAddresses) {
    publicAddresses ??= retrying(guardedOutgoing({ timeout: CONNECTION_LIMIT_MS }));
    return publicAddresses;
  }
  anyAddress ??= retrying(outgoing({ connect: { timeout: CONNECTION_LIMIT_MS } }));
  return anyAddress;
}

/** A broken transfer is resumed, if the server supports that and still has the same file. */
export function retrying(agent: Dispatcher, { tries, firstMs, maxMs } = RETRY): Dispatcher {
  const retry = interceptors.retry({
    maxRetries: tries - 1,
    minTimeout: firstMs,
    maxTimeout: maxMs,
    methods: ["GET"],
    // After the last try the answer itself is returned, because it is more informative than an error.
    throwOnError: false,
    statusCodes: [429, 500, 502, 503, 504],
    errorCodes: [
      ...NETWORK_CODES,
      "UND_ERR_BODY_TIMEOUT",
      "UND_ERR_CONNECT_TIMEOUT",
      "UND_ERR_SOCKET",
    ],
  });
  return agent.compose(retry);
}
