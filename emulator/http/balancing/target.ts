/** Recognizes requests to load balancing endpoints, by the Host header or by the beginning of the path. */
import type { IncomingMessage } from "node:http";

export interface BalancedTarget {
  readonly endpointId: string;
  /** For the worker's server: the path and query exactly as the client wrote them. */
  readonly path: string;
  /** The part of the path that was removed; may be empty. */
  readonly prefix: string;
}

const HOST = /^([a-z0-9][a-z0-9_-]*)\.localhost\.?(?::\d+)?$/iu;
const PATH = /^\/lb\/([^/?#]+)(.*)$/su;

/** `http://ENDPOINT.localhost:PORT/path` or `/lb/ENDPOINT/path`; undefined for a request to the service itself. */
export function balancedTarget({
  url = "",
  headers,
}: Pick<IncomingMessage, "url" | "headers">): BalancedTarget | undefined {
  const [, label] = HOST.exec(headers.host ?? "") ?? [];
  if (label !== undefined) return { endpointId: label, path: url, prefix: "" };
  const [, endpointId, rest = ""] = PATH.exec(url) ?? [];
  if (endpointId === undefined) return undefined;
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  return { endpointId, path, prefix: `/lb/${endpointId}` };
}

/** Whether the request is to a host name of one endpoint, all of whose pages a browser keeps apart from those of the service. */
export function hasOwnOrigin(request: Pick<IncomingMessage, "url" | "headers">): boolean {
  return balancedTarget(request)?.prefix === "";
}
