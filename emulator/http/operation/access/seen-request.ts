/** Who sent a request and how, as far as the proxies in between are trusted. */
import type { IncomingMessage } from "node:http";
import { isAuthority } from "../../../core/access/host-names.ts";
import type { TrustedProxies } from "../../../core/access/trusted-proxies.ts";
import { clientAddress } from "../forwarded-request.ts";

export interface SeenRequest {
  /** The address of the client, however many replicas and trusted proxies are in between. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** By which name, with the port; undefined where the request says none (HTTP/1.0). */
  readonly host: string | undefined;
  /** Whether the peer is a proxy whose `X-Forwarded-…` headers count. */
  readonly isForwarded: boolean;
}

/** Of several values of one header the last counts: what the proxy next to the service wrote. What is malformed does not. */
export function seenBehind(proxies: TrustedProxies, request: IncomingMessage): SeenRequest {
  const { headers, socket } = request;
  const peer = clientAddress(request);
  const isForwarded = proxies.trusts(peer);
  const told = (name: string) => (isForwarded ? headers[name]?.toString() : undefined);
  const scheme = lastOf(told("x-forwarded-proto")).toLowerCase();
  const host = lastOf(told("x-forwarded-host"));
  return {
    client: proxies.clientOf(peer, told("x-forwarded-for")),
    scheme: scheme === "http" || scheme === "https" ? scheme : schemeOf(socket),
    host: isAuthority(host) ? host : headers.host,
    isForwarded,
  };
}

function schemeOf(socket: IncomingMessage["socket"]): "http" | "https" {
  return "encrypted" in socket && socket.encrypted === true ? "https" : "http";
}

function lastOf(values = ""): string {
  return values.slice(values.lastIndexOf(",") + 1).trim();
}
