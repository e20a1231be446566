/** The environment variables of `sv-worker`, by which a launcher sets its id, its service and its settings. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset, because a container's configuration often cannot omit a variable. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}

export const WORKER_ENV = {
  /** gRPC address of the service: `tls://host:port`, `unix:/path`, or `host:port` of this machine; several with commas. */
  serviceAddress: "SV_SERVICE_ADDRESS",
  /** This worker's token, which is valid only for worker operations of its endpoint. */
  workerToken: "SV_WORKER_TOKEN",
  workerId: "SV_WORKER_ID",
  endpointId: "SV_ENDPOINT_ID",
  /** Path of the handler module. */
  handler: "SV_HANDLER",
  /** Interval between the abort signal and SIGTERM, and between SIGTERM and SIGKILL, ms. */
  graceMs: "SV_GRACE_MS",
  /** Timeout of the handler's import and setup, ms. */
  initLimitMs: "SV_INIT_LIMIT_MS",
  /** Timeout of running jobs after the first signal, ms. */
  drainLimitMs: "SV_DRAIN_LIMIT_MS",
  /** Default `executionTimeout` of jobs of the live service, ms. */
  executionTimeoutMs: "SV_EXECUTION_TIMEOUT_MS",
  /** `0`, `idle` or `loaded`: the standby process beside the handler process. */
  standby: "SV_STANDBY",
  /** `host:port` or `port` at which the handler process accepts a debugger. */
  inspect: "SV_INSPECT",
  /** `debug`, `info`, `warn` or `error`: the lowest level in the worker's log. */
  logLevel: "SV_LOG_LEVEL",
  /** `json` or `pretty`: the format of the worker's log. */
  logFormat: "SV_LOG_FORMAT",
  /** Path of the directory of the endpoint's volume, for the handler; its files outlive the worker. */
  volumePath: "SV_VOLUME_PATH",
  /** Path of a file that the worker touches every 5 s as a sign of life. */
  heartbeatFile: "SV_HEARTBEAT_FILE",
  /** Set to `1` by a launcher that holds the worker's standard input open. When the input ends, the worker ends. */
  exitOnStdinEnd: "SV_EXIT_ON_STDIN_END",
  /** The GPUs of this worker alone, with commas between them: their UUIDs, or numbers of simulated ones. */
  gpuIds: "SV_GPU_IDS",
  /** The name of the GPUs' type. */
  gpuType: "SV_GPU_TYPE",
  /** The memory of each GPU in GiB, if known. */
  gpuMemoryGb: "SV_GPU_MEMORY_GB",
} as const;

/** Set to `1` by a launcher for a worker that reads its variables from standard input, as a line of JSON. */
export const SPARE_NAME = "SV_SPARE";

/** Variables with the addresses of the HTTP server of a load balancing endpoint's worker (live). */
export const SERVER_ENV = {
  /** Listening address of the server (ours): loopback for a process, all addresses in a container. */
  host: "HOST",
  /** Port for requests. */
  port: "PORT",
  /** Port for health checks; default: the port for requests. */
  healthPort: "PORT_HEALTH",
  /** Path of health checks; default `/ping`. */
  healthPath: "HEALTH_CHECK_PATH",
} as const;
