/** Limits of requests to the interface. `net/listener-limits.ts` has those of its connections. */
import type { ServerOptions } from "node:http";
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export const SERVER_LIMITS: ServerOptions = {
  /** Maximum size of request line and headers together. */
  maxHeaderSize: 16_384,
  // Timeout of requests to workers' servers; others have less: see `respond.ts`.
  requestTimeout: LIMITS.balancedRequestMs + 30_000,
  // Checked in `caller-check.ts`, for an answer in our form.
  requireHostHeader: false,
};
