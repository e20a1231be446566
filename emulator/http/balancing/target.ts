/** Recognizes requests to load balancing endpoints, by the Host header or the beginning of the path. */
import type { IncomingMessage } from "node:http";

export interface BalancedTarget {
  readonly endpointId: string;
  /** Path and query for the worker's server, exactly as the client sent them. */
  readonly path: string;
  /** The removed beginning of the path; may be empty. */
  readonly prefix: string;
}

/** Host headers and beginnings of paths that may name an endpoint. Only such requests are examined further. */
export const BALANCED_HOST = /\.localhost/iu;
export const BALANCED_PATH = "/lb/";

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
