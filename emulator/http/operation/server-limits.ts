/** Limits of requests to the interface. The limits of its connections are in `net/listener-limits.ts`. */
import type { ServerOptions } from "node:http";
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export const SERVER_LIMITS: ServerOptions = {
  /** Maximum size of request line and headers together. */
  maxHeaderSize: 16_384,
  // Timeout of requests to workers' servers. Other requests have a shorter one: see `respond.ts`.
  requestTimeout: LIMITS.balancedRequestMs + 30_000,
  // Checked in `caller-check.ts`, for an answer in our form.
  requireHostHeader: false,
};
