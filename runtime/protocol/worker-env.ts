/** The environment variables by which a launcher tells `sv-worker` who it is and where its service listens. */

export const WORKER_ENV = {
  /** gRPC address of the service: `host:port` or `unix:/path`. */
  serviceAddress: "SV_SERVICE_ADDRESS",
  /** This worker's token; it is good for its endpoint's worker operations only. */
  workerToken: "SV_WORKER_TOKEN",
  workerId: "SV_WORKER_ID",
  endpointId: "SV_ENDPOINT_ID",
  /** Path of the handler module. */
  handler: "SV_HANDLER",
  /** `json` or `pretty`; how the worker writes its own log. */
  logFormat: "SV_LOG_FORMAT",
  /** Set to `1` by a launcher that holds the worker's standard input open: when that ends, the worker ends. */
  exitOnStdinEnd: "SV_EXIT_ON_STDIN_END",
} as const;
