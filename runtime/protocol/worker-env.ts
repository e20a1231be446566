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
  /** Between the abort signal and SIGTERM, and again between SIGTERM and SIGKILL, ms. */
  graceMs: "SV_GRACE_MS",
  /** For importing the handler and its setup, ms. */
  initLimitMs: "SV_INIT_LIMIT_MS",
  /** For running jobs after the first signal, ms. */
  drainLimitMs: "SV_DRAIN_LIMIT_MS",
  /** `0`, `idle` or `loaded`; what waits to take over from a handler process that ends. */
  standby: "SV_STANDBY",
  /** `host:port` or `port` on which the handler process lets a debugger in. */
  inspect: "SV_INSPECT",
  /** `debug`, `info`, `warn` or `error`; the least level the worker writes to its log. */
  logLevel: "SV_LOG_LEVEL",
  /** `json` or `pretty`; how the worker writes its own log. */
  logFormat: "SV_LOG_FORMAT",
  /** Set to `1` by a launcher that holds the worker's standard input open: when that ends, the worker ends. */
  exitOnStdinEnd: "SV_EXIT_ON_STDIN_END",
} as const;
