/** The user's program that an image runs. */

/** A handler that a worker calls with jobs, or the HTTP server of a load balancing endpoint. */
export interface UserProgram {
  /** Its module, absolute. */
  readonly file: string;
  readonly kind: "handler" | "server";
}
