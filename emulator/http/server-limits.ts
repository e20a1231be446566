/** What bounds every connection to the interface, so that no client holds one for nothing. */
import type { ServerOptions } from "node:http";
import { LIMITS } from "../../runtime/protocol/limits.ts";

export const SERVER_LIMITS: ServerOptions = {
  /** Request line and headers together. */
  maxHeaderSize: 16_384,
  // A client must have sent its headers, and its whole request, within these; nothing that may take longer is cut off so.
  headersTimeout: LIMITS.requestHeadMs,
  // What is not for a worker's server has less: see `respond.ts`.
  requestTimeout: LIMITS.balancedRequestMs + 30_000,
  // How often they are looked for whose time is over.
  connectionsCheckingInterval: 1_000,
  // Longer than the idle time of usual clients and proxies, so that they close first and no request is lost.
  keepAliveTimeout: 72_000,
  // Checked by ourselves, for an answer in our shape.
  requireHostHeader: false,
};
