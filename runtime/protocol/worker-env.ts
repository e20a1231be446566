/** Environment variables with which a launcher tells `sv-worker` its id and the address of its service. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as none: a container's configuration often cannot leave one out. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}

export const WORKER_ENV = {
  /** gRPC address of the service: `tls://host:port`, `unix:/path`, or `host:port` of this machine; several with commas. */
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
  /** Default `executionTimeout` of jobs of the live service, ms. */
  executionTimeoutMs: "SV_EXECUTION_TIMEOUT_MS",
  /** `0`, `idle` or `loaded`: the standby process beside the handler process. */
  standby: "SV_STANDBY",
  /** `host:port` or `port` at which the handler process accepts a debugger. */
  inspect: "SV_INSPECT",
  /** `debug`, `info`, `warn` or `error`; the least level the worker writes to its log. */
  logLevel: "SV_LOG_LEVEL",
  /** `json` or `pretty`; how the worker writes its own log. */
  logFormat: "SV_LOG_FORMAT",
  /** Path of the directory of the endpoint's volume, for the handler; its files outlive the worker. */
  volumePath: "SV_VOLUME_PATH",
  /** Path of a file that the worker touches every 5 s as a sign of life. */
  heartbeatFile: "SV_HEARTBEAT_FILE",
  /** Set to `1` by a launcher that holds the worker's standard input open: when that ends, the worker ends. */
  exitOnStdinEnd: "SV_EXIT_ON_STDIN_END",
  /** GPUs that are this worker's alone, with commas between them: their UUIDs, or numbers of simulated ones. */
  gpuIds: "SV_GPU_IDS",
  /** The name of their type. */
  gpuType: "SV_GPU_TYPE",
  /** The memory of each of them in GiB; only where it is known. */
  gpuMemoryGb: "SV_GPU_MEMORY_GB",
} as const;

/** Variables that tell the worker of a load balancing endpoint where its HTTP server has to listen (live). */
export const SERVER_ENV = {
  /** Listening address of the server (ours): loopback for a process, all addresses in a container. */
  host: "HOST",
  /** On which the server is to listen. */
  port: "PORT",
  /** On which it answers questions for its health; default the same. */
  healthPort: "PORT_HEALTH",
  /** Where it answers them; default `/ping`. */
  healthPath: "HEALTH_CHECK_PATH",
} as const;
