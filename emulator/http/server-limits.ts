/** The limits of every connection to the interface. */
import type { ServerOptions } from "node:http";
import { LIMITS } from "../../runtime/protocol/limits.ts";

export const SERVER_LIMITS: ServerOptions = {
  /** Request line and headers together. */
  maxHeaderSize: 16_384,
  // For the headers, and for the whole request.
  headersTimeout: LIMITS.requestHeadMs,
  // Requests that are not for a worker's server have less: see `respond.ts`.
  requestTimeout: LIMITS.balancedRequestMs + 30_000,
  // How often connections are checked for these limits.
  connectionsCheckingInterval: 1_000,
  // Longer than that of common clients and proxies, so that they close first and no request is lost.
  keepAliveTimeout: 72_000,
  // Checked in `caller-check.ts`, for an answer in our shape.
  requireHostHeader: false,
};
