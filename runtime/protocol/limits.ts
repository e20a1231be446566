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
  /** The same below `/live/v2` (live). */
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
  /** Largest JSON text of what a handler takes and gives, as schemas; larger ones are not shown (ours). */
  handlerSchemasMaxBytes: 262_144,

  /** From the first byte of a request to the last of its head, and of its body (ours). */
  requestHeadMs: 1 * MINUTE_MS,
  requestMs: 5 * MINUTE_MS,

  /** `wait` of `/runsync` and `/status-sync` (spec). */
  waitMinMs: 1 * SECOND_MS,
  waitMaxMs: 300 * SECOND_MS,
  waitDefaultMs: 90 * SECOND_MS,
  /** How long `GET /stream` is held open while nothing comes (ours). */
  streamHoldMs: 20 * SECOND_MS,
  /** Maximum hold of `GET /stream` below `/live`, ms. The Python client gives up after 10 s (ours). */
  liveStreamHoldMs: 8 * SECOND_MS,

  /** Bytes of large payloads that the service has in memory at a time, on their way in or out (ours). */
  inFlightMaxBytes: 64 * MB,
  /** Requests that wait for room among them, and for how long until they are refused (ours). */
  inFlightWaitingMax: 1_000,
  inFlightWaitMs: 30 * SECOND_MS,
  /** A reader of a large answer that takes nothing for this long is cut off (ours). */
  readerStallMs: 1 * MINUTE_MS,

  /** How long a request counts against the rate limits of its operation (spec). */
  rateWindowMs: 10 * SECOND_MS,
  /** Requests by which each running worker raises the rate limits, where an endpoint does not say (ours). */
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

  /** How long a finished job is kept (spec). */
  asyncRetentionMs: 30 * MINUTE_MS,
  syncRetentionMs: 1 * MINUTE_MS,
  syncRetentionMaxMs: 5 * MINUTE_MS,

  /** A lease that is not renewed for this long is lost (ours). */
  leaseMs: 15 * SECOND_MS,
  /** The shortest lease a service may be started with (ours). */
  leaseMinMs: 1 * SECOND_MS,
  /** How often a worker's supervisor renews its leases (ours). */
  leaseRenewalMs: 5 * SECOND_MS,
  /** From the start of a handler file's worker to its first word; then it may be silent for the length of a lease (ours). */
  workerStartMs: 1 * MINUTE_MS,
  /** From the start of a worker until it can take jobs, unless its template says otherwise (spec). */
  workerInitMs: 7 * MINUTE_MS,
  /** How long a worker that is to leave, holds no job and could not be set up or was told so may stay (ours). */
  workerLeaveMs: 1 * MINUTE_MS,
  /** What the service adds to `executionTimeout` before it ends a job its worker did not end (ours). */
  executionGraceMs: 5 * SECOND_MS,
  /** Between the abort signal and SIGTERM, and again between SIGTERM and SIGKILL (ours). */
  handlerGraceMs: 5 * SECOND_MS,

  /** How long a poll of a worker of the live dialect is held while there is nothing for it (ours; its client waits 90 s). */
  livePollMs: 20 * SECOND_MS,
  /** From the end of a job that such a worker is to stop until it must have asked for jobs again (ours). */
  liveStopMs: 30 * SECOND_MS,

  /** Largest body of a request to a load balancing endpoint, and of its answer (live). */
  balancedBodyMaxBytes: 30 * MB,
  /** How long a request to a load balancing endpoint may take once a worker has it; a WebSocket, once open, lasts (live). */
  balancedRequestMs: 330 * SECOND_MS,
  /** How long such a request waits for a healthy worker (live). */
  balancedWaitMs: 2 * MINUTE_MS,
  /** How long it waits for the very worker it names with `strict-resume` (live). */
  balancedResumeMs: 5 * MINUTE_MS,
  /** Requests of one endpoint that wait for a worker at a time (ours). */
  balancedWaitingMax: 1_000,
  /** A worker's server that has not been healthy for this long since its start is ended (live). */
  balancedStartMs: 8 * MINUTE_MS,
  /** One that was healthy and is not any more, after this long (ours). */
  balancedSickMs: 1 * MINUTE_MS,
  /** How long requests in flight may go on when the service stops (ours). */
  balancedStopMs: 30 * SECOND_MS,
  /** Between two questions for a server's health, while it starts and later (ours). */
  healthStartingIntervalMs: 250,
  healthIntervalMs: 5 * SECOND_MS,
  /** How long its answer may take (ours). */
  healthAnswerMs: 5 * SECOND_MS,
  /** Questions in a row that a healthy server may leave unanswered: the last of them takes it out of rotation (ours). */
  healthMisses: 3,
  /** How often a webhook is called until a call succeeds (spec). */
  webhookTries: 3,
  /** From a webhook call that failed to the next one (spec). */
  webhookRetryDelayMs: 10 * SECOND_MS,
  /** How long one webhook call may take (ours). */
  webhookTimeoutMs: 10 * SECOND_MS,
  /** How long webhook deliveries are kept once they are settled, how many of them, and how much of their bodies (ours). */
  webhookKeptMs: DAY_MS,
  webhookKeptCount: 1_000,
  webhookKeptBytes: 128 * MB,

  /** How long the reports on failed jobs are kept once the jobs are deleted, how many of them, and how much (ours). */
  reportKeptMs: DAY_MS,
  reportKeptCount: 1_000,
  reportKeptBytes: 64 * MB,

  /** Chunks of one job a worker may have on the way before it waits for receipts (ours). */
  unackedChunks: 16_384,
  unackedChunkBytes: 16 * MB,
  /** How long a key can be good that expires (ours). */
  keyExpiryMaxMs: 3_660 * DAY_MS,
  /** How many entries the audit keeps; of more the oldest go (ours). */
  auditEntriesKept: 10_000,
  /** How far one `POST /emulator/clock` advances service time, and all of them together (ours). */
  clockAdvanceMaxMs: 366 * DAY_MS,
  clockOffsetMaxMs: 36_525 * DAY_MS,
  /** How long `POST /emulator/clock` waits, in real time, for what it set off (ours). */
  clockSettleMs: 30 * SECOND_MS,

  /** Lines and bytes of a handler process's log kept for failure reports (ours). */
  lastLogLines: 20,
  logLineMaxBytes: 8_192,
} as const;
