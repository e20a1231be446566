/** The limits of requests to the interface. `net/listener-limits.ts` has those of its connections. */
import type { ServerOptions } from "node:http";
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export const SERVER_LIMITS: ServerOptions = {
  /** Request line and headers together. */
  maxHeaderSize: 16_384,
  // Requests that are not for a worker's server have less: see `respond.ts`.
  requestTimeout: LIMITS.balancedRequestMs + 30_000,
  // Checked in `caller-check.ts`, for an answer in our shape.
  requireHostHeader: false,
};
