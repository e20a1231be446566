/** All sizes, counts and times that the service and its workers keep to, in one table. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** MB means 1,000,000 bytes throughout. */
const MB = 1_000_000;

export const LIMITS = {
  /** Largest body of `POST /run` (spec). */
  runBodyMaxBytes: 10 * MB,
  /** Largest body of `POST /runsync` (spec). */
  runsyncBodyMaxBytes: 20 * MB,
  /** Largest body of a management request (ours). */
  managementBodyMaxBytes: 1 * MB,
  /** Largest body of a management request below `/live/v2` (live). */
  restV2BodyMaxBytes: 102_400,
  /** Largest JSON text of one streamed chunk's output; a larger yield is split (spec). */
  chunkMaxBytes: 1 * MB,
  /** Largest JSON text of a job's output; a larger one fails the job (ours: the largest body a client may send). */
  outputMaxBytes: 20 * MB,
  /** Largest JSON text of an output that is uploaded instead (ours: about as long as a string can be). */
  uploadedOutputMaxBytes: 500 * MB,
  /** Largest JSON text of a progress value (ours). */
  progressMaxBytes: 1 * MB,
  /** Deepest nesting of a JSON body (ours). */
  jsonMaxDepth: 512,
  /** Largest JSON text of a submission's `webhook`, `policy` and `s3Config`, which the service parses (ours). */
  webhookMaxBytes: 8_192,
  policyMaxBytes: 8_192,
  s3ConfigMaxBytes: 65_536,
  /** Maximum size of a handler's schemas as JSON text; larger ones are not shown (ours). */
  handlerSchemasMaxBytes: 262_144,

  /** Timeouts from the first byte of a request to the last of its head, and of its body (ours). */
  requestHeadMs: 1 * MINUTE_MS,
  requestMs: 5 * MINUTE_MS,

  /** `wait` of `/runsync` and `/status-sync` (spec). */
  waitMinMs: 1 * SECOND_MS,
  waitMaxMs: 300 * SECOND_MS,
  waitDefaultMs: 90 * SECOND_MS,
  /** Maximum hold of `GET /stream` while nothing comes (ours). */
  streamHoldMs: 20 * SECOND_MS,
  /** Maximum hold of `GET /stream` below `/live`, ms. The Python client gives up after 10 s (ours). */
  liveStreamHoldMs: 8 * SECOND_MS,

  /** Maximum bytes of large payloads in memory, on their way in or out (ours). */
  inFlightMaxBytes: 64 * MB,
  /** Maximum number of requests that wait for room for a large payload, and their timeout (ours). */
  inFlightWaitingMax: 1_000,
  inFlightWaitMs: 30 * SECOND_MS,
  /** Timeout of a reader of a large answer that takes nothing (ours). */
  readerStallMs: 1 * MINUTE_MS,

  /** Interval in which a request counts against the rate limits of its operation (spec). */
  rateWindowMs: 10 * SECOND_MS,
  /** Default number of requests that each running worker adds to the rate limits (ours). */
  requestsPerWorkerDefault: 50,

  /** `policy.executionTimeout` (spec). */
  executionTimeoutMinMs: 5 * SECOND_MS,
  executionTimeoutMaxMs: 7 * DAY_MS,
  executionTimeoutDefaultMs: 10 * MINUTE_MS,
  /** `policy.ttl` (spec). */
  ttlMinMs: 10 * SECOND_MS,
  ttlMaxMs: 7 * DAY_MS,
  ttlDefaultMs: DAY_MS,
  /** `?ttl=` of `/status` (ours; the spec's example is 6000). */
  statusTtlMinMs: 1,
  statusTtlMaxMs: 7 * DAY_MS,

  /** Retention of a finished job (spec). */
  asyncRetentionMs: 30 * MINUTE_MS,
  syncRetentionMs: 1 * MINUTE_MS,
  syncRetentionMaxMs: 5 * MINUTE_MS,

  /** Timeout of a lease that is not renewed (ours). */
  leaseMs: 15 * SECOND_MS,
  /** The shortest lease a service may be started with (ours). */
  leaseMinMs: 1 * SECOND_MS,
  /** Interval at which a worker's supervisor renews its leases (ours). */
  leaseRenewalMs: 5 * SECOND_MS,
  /** Timeout from the start of a handler file's worker to its first message; later it may be silent for the length of a lease (ours). */
  workerStartMs: 1 * MINUTE_MS,
  /** Timeout from the start of a worker until it can take jobs, unless its template has another one (spec). */
  workerInitMs: 7 * MINUTE_MS,
  /** Timeout of a worker without a job that was told to leave or could not be set up (ours). */
  workerLeaveMs: 1 * MINUTE_MS,
  /** Grace after `executionTimeout`: then the service ends a job that its worker did not end (ours). */
  executionGraceMs: 5 * SECOND_MS,
  /** Interval between the abort signal and SIGTERM, and between SIGTERM and SIGKILL (ours). */
  handlerGraceMs: 5 * SECOND_MS,

  /** Maximum hold of a poll of a live worker while there is nothing for it (ours; its client waits 90 s). */
  livePollMs: 20 * SECOND_MS,
  /** Timeout of a live worker that was told to stop a job: until then it must ask for jobs again (ours). */
  liveStopMs: 30 * SECOND_MS,

  /** Largest body of a request to a load balancing endpoint, and of its answer (live). */
  balancedBodyMaxBytes: 30 * MB,
  /** Timeout of a request to a load balancing endpoint once a worker has it; an open WebSocket has none (live). */
  balancedRequestMs: 330 * SECOND_MS,
  /** Timeout of such a request without a healthy worker (live). */
  balancedWaitMs: 2 * MINUTE_MS,
  /** Timeout of such a request for the one worker that it names with `strict-resume` (live). */
  balancedResumeMs: 5 * MINUTE_MS,
  /** Maximum requests of one endpoint that wait for a worker (ours). */
  balancedWaitingMax: 1_000,
  /** Timeout of a worker's server that is not healthy after its start (live). */
  balancedStartMs: 8 * MINUTE_MS,
  /** Timeout of a worker's server that is no longer healthy (ours). */
  balancedSickMs: 1 * MINUTE_MS,
  /** Timeout of requests in flight when the service stops (ours). */
  balancedStopMs: 30 * SECOND_MS,
  /** Interval of health checks of a server, while it starts and later (ours). */
  healthStartingIntervalMs: 250,
  healthIntervalMs: 5 * SECOND_MS,
  /** Timeout of a health check (ours). */
  healthAnswerMs: 5 * SECOND_MS,
  /** Failed health checks in a row that take a healthy server out of rotation (ours). */
  healthMisses: 3,
  /** Maximum calls of a webhook until one succeeds (spec). */
  webhookTries: 3,
  /** Interval between a failed webhook call and the next one (spec). */
  webhookRetryDelayMs: 10 * SECOND_MS,
  /** Timeout of a webhook call (ours). */
  webhookTimeoutMs: 10 * SECOND_MS,
  /** Retention of settled webhook deliveries, and the maximum of their number and of the bytes of their bodies (ours). */
  webhookKeptMs: DAY_MS,
  webhookKeptCount: 1_000,
  webhookKeptBytes: 128 * MB,

  /** Retention of reports on failed jobs after the jobs are deleted, and the maximum of their number and bytes (ours). */
  reportKeptMs: DAY_MS,
  reportKeptCount: 1_000,
  reportKeptBytes: 64 * MB,

  /** Maximum chunks of one job on their way from a worker before it waits for receipts (ours). */
  unackedChunks: 16_384,
  unackedChunkBytes: 16 * MB,
  /** Maximum time until a key expires (ours). */
  keyExpiryMaxMs: 3_660 * DAY_MS,
  /** Maximum entries of the audit; the oldest are deleted (ours). */
  auditEntriesKept: 10_000,
  /** Maximum by which one `POST /emulator/clock` advances service time, and maximum of all together (ours). */
  clockAdvanceMaxMs: 366 * DAY_MS,
  clockOffsetMaxMs: 36_525 * DAY_MS,
  /** Timeout of `POST /emulator/clock`, in real time, for the resulting work (ours). */
  clockSettleMs: 30 * SECOND_MS,

  /** Maximum lines and bytes of a handler process's log kept for failure reports (ours). */
  lastLogLines: 20,
  logLineMaxBytes: 8_192,
} as const;
