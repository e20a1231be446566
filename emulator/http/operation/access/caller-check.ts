/** Checks the Host and Origin headers of every request at every port: the host must be this service's, and the page allowed. */
import type { IncomingMessage } from "node:http";
import type { AllowedOrigins } from "../../../core/access/allowed-origins.ts";
import { type HostNames, isAuthority } from "../../../core/access/host-names.ts";
import type { TrustedProxies } from "../../../core/access/trusted-proxies.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { clientAddress } from "../forwarded-request.ts";

export interface SeenRequest {
  /** The address of the client, however many replicas and trusted proxies are in between. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** The host name in the request, with the port. Undefined if the request has none (HTTP/1.0). */
  readonly host: string | undefined;
  /** Whether the peer is a proxy whose `X-Forwarded-…` headers count. */
  readonly isForwarded: boolean;
}

export interface CallerCheckOptions {
  readonly hosts: HostNames;
  readonly origins: AllowedOrigins;
  readonly proxies: TrustedProxies;
}

/** The result for one request. */
export type CallerVerdict =
  | { readonly refusal: ServiceError }
  | {
      /** Headers of the answer, without which a browser hides the answer from the page. */
      readonly headers: Readonly<Record<string, string>>;
      /** A preflight request of a browser, which is answered with 204. */
      readonly isPreflight: boolean;
    };

/** Prefix of an IPv4 address as a server that listens to both kinds sees it. */
const MAPPED = /^::ffff:(?=\d+\.)/iu;

const PASSED: CallerVerdict = { headers: {}, isPreflight: false };

/** Time for which a browser may keep the answer to a preflight, s. */
const PREFLIGHT_MAX_AGE_S = 600;

export class CallerCheck {
  readonly #options: CallerCheckOptions;
  /** The address and the Host header that were admitted last. Most requests repeat them. */
  readonly #admitted: { localAddress?: string | undefined; host?: string | undefined } = {};

  constructor(options: CallerCheckOptions) {
    this.#options = options;
  }

  look(request: IncomingMessage): CallerVerdict {
    const { origins, proxies } = this.#options;
    const { origin } = request.headers;
    const { host } = proxies.areSome ? this.seen(request) : request.headers;
    const refusal = ambiguity(request) ?? this.#misdirection(request, host);
    if (refusal !== undefined) return { refusal };
    if (origin === undefined || origins.isOwn(origin, host)) return PASSED;
    if (!origins.isAllowed(origin)) return { refusal: foreign(origin) };
    return isPreflight(request)
      ? { headers: preflightHeaders(request, origin), isPreflight: true }
      : { headers: answerHeaders(origin), isPreflight: false };
  }

  /** The client, host and scheme of the request. Headers of untrusted proxies do not count. */
  seen(request: IncomingMessage): SeenRequest {
    const { proxies } = this.#options;
    const { headers, socket } = request;
    const peer = clientAddress(request);
    const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
    if (!proxies.areSome || !proxies.trusts(peer))
      return { client: peer.replace(MAPPED, ""), scheme, host: headers.host, isForwarded: false };
    const protocol = lastOf(headers["x-forwarded-proto"]).toLowerCase();
    const host = lastOf(headers["x-forwarded-host"]);
    return {
      client: proxies.clientOf(peer, headers["x-forwarded-for"]?.toString()),
      scheme: protocol === "http" || protocol === "https" ? protocol : scheme,
      host: isAuthority(host) ? host : headers.host,
      isForwarded: true,
    };
  }

  /**
   * Whether the request comes from a page of this service, by `Sec-Fetch-Site` or else by `Origin`. Browsers send `Origin` with
   * requests that may change something.
   */
  isOwnPage(request: IncomingMessage): boolean {
    const { origin, "sec-fetch-site": site } = request.headers;
    if (site !== undefined) return site === "same-origin";
    if (origin !== undefined) return this.#options.origins.isOwn(origin, this.seen(request).host);
    return request.method === "GET" || request.method === "HEAD";
  }

  /**
   * A request without a Host header (HTTP/1.0) comes from no browser. Both the Host header and the host from a proxy are
   * checked, because a page in a browser beside a trusted proxy can send the proxy's header too.
   */
  #misdirection(
    { headers, socket: { localAddress } }: IncomingMessage,
    told: string | undefined,
  ): ServiceError | undefined {
    const { host: written } = headers;
    const admitted = this.#admitted;
    const isKnown = written === admitted.host && localAddress === admitted.localAddress;
    if (isKnown && told === written) return undefined;
    const isForeign = (host: string | undefined) =>
      host !== undefined && !this.#options.hosts.admits(host, localAddress);
    const host = [written, told].find(isForeign);
    if (host === undefined) {
      Object.assign(admitted, { host: written, localAddress });
      return undefined;
    }
    return new ServiceError(
      "host_not_allowed",
      `this service does not answer to the host ${JSON.stringify(host)}; to allow it, start the service with --allowed-host ${nameIn(host)}`,
    );
  }
}

/** The last of several values of a header, which the proxy next to the service wrote. */
function lastOf(header: string | readonly string[] = ""): string {
  const values = header.toString();
  return values.slice(values.lastIndexOf(",") + 1).trim();
}

/** The refusal of a request with an ambiguous host. */
function ambiguity({ url = "", rawHeaders, httpVersion }: IncomingMessage) {
  if (!url.startsWith("/")) {
    return invalidHeader("the request line must name a path that begins with /, not a whole URL");
  }
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return invalidHeader("there is more than one Host header");
  if (hosts === 0 && httpVersion === "1.1") return invalidHeader("the Host header is missing");
  return undefined;
}

function invalidHeader(message: string): ServiceError {
  return new ServiceError("invalid_header", message);
}

function foreign(origin: string): ServiceError {
  return new ServiceError(
    "origin_not_allowed",
    `pages of ${JSON.stringify(origin)} may not call this service; to allow them, start it with --allowed-origin ${origin === "null" ? '"*"' : origin}`,
  );
}

/** The host in the form of the flag, without the port. */
function nameIn(host: string): string {
  return host.replace(/:\d*$/u, "") || "NAME";
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** `*` is enough, because pages send their key in a header and need no cookies. */
function answerHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "*",
    vary: "Origin",
  };
}

function preflightHeaders({ headers }: IncomingMessage, origin: string): Record<string, string> {
  const asked = headers["access-control-request-headers"];
  // Chromium asks this before a page of a public address calls a private one.
  const isToPrivate = headers["access-control-request-private-network"] === "true";
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": headers["access-control-request-method"] ?? "",
    ...(asked !== undefined && { "access-control-allow-headers": asked }),
    ...(isToPrivate && { "access-control-allow-private-network": "true" }),
    "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
    vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  };
}
