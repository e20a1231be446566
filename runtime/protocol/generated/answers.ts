/** What the service answers, from its OpenAPI document: written by `npm run docs`. */

export type JobState = { readonly id: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; };

export type Job = { readonly id: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly delayTime?: number; readonly executionTime?: number; readonly output?: unknown; readonly error?: string; readonly failure?: Failure; readonly workerId?: string; readonly retries?: number; };

export type Failure = { readonly type: "handler_error" | "unhandled_error" | "invalid_input" | "invalid_output" | "process_exited" | "execution_timeout" | "worker_lost" | "worker_refused" | "data_damaged"; readonly message: string; readonly stack?: string; readonly workerId?: string; readonly exitCode?: number; readonly signal?: string; readonly outOfMemory?: boolean; readonly reported?: string; readonly lastLogLines?: readonly (string)[]; };

export type Stream = readonly (Chunk)[];

export type Chunk = { readonly output: unknown; readonly metrics: { readonly stream_index?: number; }; };

export type Purged = { readonly removed: number; readonly status: "completed"; };

export type Health = { readonly jobs: { readonly completed: number; readonly failed: number; readonly inProgress: number; readonly inQueue: number; readonly retried: number; }; readonly workers: { readonly idle: number; readonly initializing: number; readonly ready: number; readonly running: number; readonly throttled: number; readonly unhealthy: number; }; readonly problem?: string; };

export type Requests = { readonly requests: readonly ({ readonly id: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly submittedAt: string; readonly delayTime?: number; readonly executionTime?: number; readonly workerId?: string; })[]; readonly next?: string; };

export type Template = { readonly id: string; readonly imageName: string; readonly containerDiskInGb: number; readonly containerRegistryAuthId?: string; readonly dockerEntrypoint: readonly (string)[]; readonly dockerStartCmd: readonly (string)[]; readonly env: Readonly<Record<string, string>>; readonly ports: readonly (string)[]; readonly volumeInGb: number; readonly volumeMountPath: string; readonly name: string; readonly isPublic: boolean; readonly readme: string; readonly category: "NVIDIA" | "AMD" | "CPU"; readonly isServerless: boolean; readonly isPlatform: boolean; readonly earned: number; readonly runtimeInMin: number; };

export type ContainerRegistryAuth = { readonly id: string; readonly name: string; };

export type Endpoint = { readonly id: string; readonly name: string; readonly templateId: string; readonly gpuTypeIds: readonly (string)[]; readonly gpuCount: number; readonly cpuFlavorIds?: readonly (string)[]; readonly vcpuCount?: number; readonly allowedCudaVersions: readonly (string)[]; readonly minCudaVersion?: string; readonly dataCenterIds: readonly (string)[]; readonly networkVolumeId?: string; readonly networkVolumeIds: readonly (string)[]; readonly flashboot?: boolean; readonly idleTimeout: number; readonly scalerType: "QUEUE_DELAY" | "REQUEST_COUNT"; readonly scalerValue: number; readonly workersMin: number; readonly workersMax: number; readonly executionTimeoutMs: number; readonly retries: { readonly workerLost: number; readonly handlerError: number; }; readonly requestsPerWorker: number; readonly streams?: "durable"; readonly type: "QUEUE" | "LOAD_BALANCING"; readonly computeType: "GPU" | "CPU"; readonly env: Readonly<Record<string, string>>; readonly version: number; readonly createdAt: string; readonly userId: string; readonly instanceIds?: readonly (string)[]; readonly template?: Template; readonly workers?: readonly (Worker)[]; };

export type Worker = { readonly id: string; readonly desiredStatus: "RUNNING" | "EXITED" | "TERMINATED"; readonly endpointId: string; readonly slsVersion: number; readonly lastStartedAt: string; readonly gpu?: { readonly id: string; readonly displayName: string; readonly count: number; }; readonly templateId?: string; readonly image?: string; readonly containerDiskInGb?: number; readonly containerRegistryAuthId?: string; readonly dockerEntrypoint?: readonly (string)[]; readonly dockerStartCmd?: readonly (string)[]; readonly env?: Readonly<Record<string, string>>; readonly ports?: readonly (string)[]; readonly volumeInGb?: number; readonly volumeMountPath?: string; };

export type NetworkVolume = { readonly id: string; readonly name: string; readonly size: number; readonly dataCenterId: string; };

export type Pod = { readonly id: string; readonly name?: string; readonly image?: string; readonly templateId?: string; readonly desiredStatus: "RUNNING" | "EXITED" | "TERMINATED"; readonly endpointId?: string; readonly slsVersion?: number; readonly consumerUserId?: string; readonly machineId?: string; readonly gpu?: { readonly id: string; readonly displayName: string; readonly count: number; }; readonly cpuFlavorId?: string; readonly vcpuCount?: number; readonly memoryInGb?: number; readonly costPerHr?: number; readonly adjustedCostPerHr?: number; readonly containerDiskInGb?: number | null; readonly volumeInGb?: number | null; readonly volumeMountPath?: string; readonly volumeEncrypted?: boolean; readonly containerRegistryAuthId?: string; readonly dockerEntrypoint?: readonly (string)[]; readonly dockerStartCmd?: readonly (string)[]; readonly env?: Readonly<Record<string, string>>; readonly ports?: readonly (string)[]; readonly publicIp?: string | null; readonly portMappings?: Readonly<Record<string, number>> | null; readonly interruptible?: boolean; readonly locked?: boolean; readonly lastStartedAt?: string; readonly lastStatusChange?: string; readonly machine?: Machine; readonly networkVolume?: NetworkVolume; readonly savingsPlans?: readonly (unknown)[]; readonly template?: Template; };

export type Machine = { readonly gpuTypeId?: string; readonly dataCenterId: string; readonly cpuCount: number; readonly secureCloud: boolean; readonly supportPublicIp: boolean; readonly costPerHr: number; readonly gpuAvailable?: number; };

export type BillingRecord = { readonly amount: number; readonly time: string; readonly timeBilledMs: number; readonly diskSpaceBilledGb: number; readonly endpointId?: string; readonly podId?: string; readonly gpuTypeId?: string; };

export type NetworkVolumeBillingRecord = { readonly amount: number; readonly time: string; readonly diskSpaceBilledGb: number; readonly highPerformanceStorageAmount: number; readonly highPerformanceStorageDiskSpaceBilledGb: number; };

export type Deliveries = { readonly deliveries: readonly (Delivery)[]; readonly next?: string; };

export type Delivery = { readonly id: string; readonly jobId: string; readonly endpointId: string; readonly jobStatus: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly url: string; readonly state: "pending" | "delivered" | "failed"; readonly createdAt: string; readonly tries: readonly (DeliveryTry)[]; readonly nextTryAt?: string; };

export type DeliveryTry = { readonly at: string; readonly durationMs: number; readonly status?: number; readonly error?: string; readonly warning?: string; };

export type WebhookSecret = { readonly secret: string; };

export type DeliveryWithRequest = { readonly id: string; readonly jobId: string; readonly endpointId: string; readonly jobStatus: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly url: string; readonly state: "pending" | "delivered" | "failed"; readonly createdAt: string; readonly tries: readonly (DeliveryTry)[]; readonly nextTryAt?: string; readonly request: { readonly method: "POST"; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown; }; };

export type Clock = { readonly now: string; readonly nowMs: number; readonly offsetMs: number; readonly nextDueAt: string | null; readonly due: readonly ({ readonly at: string; readonly kind: "scale" | "answer" | "deletion" | "overrun" | "leases" | "webhook"; readonly what: string; readonly endpointId?: string; readonly id?: string; })[]; };

export type AdvancedClock = { readonly now: string; readonly nowMs: number; readonly offsetMs: number; readonly nextDueAt: string | null; readonly settled: boolean; readonly underWay: readonly (string)[]; };

export type HeldClock = { readonly now: string; readonly nowMs: number; readonly offsetMs: number; readonly nextDueAt: string | null; readonly heldBackMs: number; };

export type MadeApiKey = { readonly id: string; readonly name: string; readonly scope: "all" | "read-only" | "jobs" | "management" | "workers"; readonly endpointIds?: readonly (string)[]; readonly createdAt: string; readonly expiresAt?: string; readonly lastUsedAt?: string; readonly key: string; readonly workerAddresses?: readonly (string)[]; };

export type ApiKeys = { readonly keys: readonly (ApiKey)[]; };

export type ApiKey = { readonly id: string; readonly name: string; readonly scope: "all" | "read-only" | "jobs" | "management" | "workers"; readonly endpointIds?: readonly (string)[]; readonly createdAt: string; readonly expiresAt?: string; readonly lastUsedAt?: string; };

export type Audit = { readonly entries: readonly (AuditEntry)[]; readonly next?: string; };

export type AuditEntry = { readonly at: string; readonly id: string; readonly keyId: string; readonly keyName: string; readonly client: string; readonly operation: string; readonly subject: string; readonly status: number; };

export type Origins = { readonly endpoints: readonly ({ readonly id: string; readonly handlerPath?: string; readonly command?: readonly (string)[]; readonly cwd?: string; readonly workingDirectory?: "own" | "shared"; readonly volumePath?: string; })[]; readonly templates: readonly ({ readonly id: string; readonly envSources: Readonly<Record<string, string>>; })[]; };

export type JobSummaries = { readonly jobs: readonly (JobSummary)[]; readonly next?: string; readonly count?: { readonly jobs: number; readonly more: boolean; }; };

export type JobSummary = { readonly id: string; readonly endpointId: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly submittedAt: string; readonly delayTime?: number; readonly executionTime?: number; readonly workerId?: string; readonly startedAt?: string; readonly endedAt?: string; readonly attempt: number; readonly version?: number; readonly errorType?: "handler_error" | "unhandled_error" | "invalid_input" | "invalid_output" | "process_exited" | "execution_timeout" | "worker_lost" | "worker_refused" | "data_damaged"; readonly error?: string; };

export type DeletedJobs = { readonly jobs: readonly ({ readonly id: string; readonly endpointId: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly submittedAt: string; readonly delayTime?: number; readonly executionTime?: number; readonly workerId?: string; readonly startedAt?: string; readonly endedAt?: string; readonly attempt: number; readonly version?: number; readonly errorType?: "handler_error" | "unhandled_error" | "invalid_input" | "invalid_output" | "process_exited" | "execution_timeout" | "worker_lost" | "worker_refused" | "data_damaged"; readonly error?: string; readonly deletedAt: string; })[]; };

export type JobDetails = { readonly id: string; readonly endpointId: string; readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT"; readonly submittedAt: string; readonly delayTime?: number; readonly executionTime?: number; readonly workerId?: string; readonly kind: "async" | "sync"; readonly startedAt?: string; readonly endedAt?: string; readonly expiresAt: string; readonly attempt: number; readonly version?: number; readonly retries: number; readonly executionTimeout: number; readonly lowPriority: boolean; readonly chunks: number; readonly webhook?: string; readonly traceparent?: string; readonly queuedAt: string; readonly ttlPinned: boolean; readonly failure?: Failure; readonly attempts?: readonly (Attempt)[]; readonly attemptsLeftOut?: number; readonly deletedAt?: string; readonly input?: unknown; readonly output?: unknown; };

export type Attempt = { readonly number: number; readonly outcome: "running" | "completed" | "failed" | "crashed" | "out_of_memory" | "timed_out" | "lost" | "handed_back" | "undelivered" | "interrupted" | "cancelled" | "damaged"; readonly workerId?: string; readonly version?: number; readonly queuedAt: string; readonly workerStartedAt?: string; readonly pulledAt?: string; readonly bootedAt?: string; readonly readyAt?: string; readonly startedAt: string; readonly endedAt?: string; readonly failure?: Failure; };

export type Chunks = { readonly attempt: number; readonly chunks: readonly ({ readonly index: number; readonly output: unknown; readonly metrics?: unknown; })[]; readonly next: number; readonly isComplete: boolean; };

export type ChangedJobs = { readonly matched: number; readonly done: number; readonly refused: number; readonly more: boolean; readonly next?: string; };

export type EndpointOverviews = { readonly endpoints: readonly (EndpointOverview)[]; };

export type EndpointOverview = { readonly id: string; readonly name: string; readonly type: "QUEUE" | "LOAD_BALANCING"; readonly version: number; readonly workersMin: number; readonly workersMax: number; readonly jobs: { readonly completed: number; readonly failed: number; readonly inProgress: number; readonly inQueue: number; readonly retried: number; }; readonly workers: { readonly initializing: number; readonly ready: number; readonly draining: number; readonly unhealthy: number; readonly lost: number; }; readonly problem?: string; readonly refusedInProduction: number; readonly newest: { readonly completed: number; readonly failed: number; readonly delayP50: number | null; readonly delayP95: number | null; readonly executionP50: number | null; readonly executionP95: number | null; }; readonly sparkline: { readonly stepMs: 10000; readonly queued: readonly (number | null)[]; readonly running: readonly (number | null)[]; }; readonly inputSchema?: unknown; readonly outputSchema?: unknown; };

export type EndpointSeries = { readonly stepMs: 10000; readonly endsAt: string; readonly points: { readonly queued: readonly (number | null)[]; readonly running: readonly (number | null)[]; readonly completed: readonly (number | null)[]; readonly failed: readonly (number | null)[]; readonly delayP50: readonly (number | null)[]; readonly delayP95: readonly (number | null)[]; readonly executionP50: readonly (number | null)[]; readonly executionP95: readonly (number | null)[]; readonly workers: { readonly initializing: readonly (number | null)[]; readonly ready: readonly (number | null)[]; readonly draining: readonly (number | null)[]; readonly unhealthy: readonly (number | null)[]; readonly lost: readonly (number | null)[]; }; }; };

export type ScalerDecisions = { readonly decisions: readonly ({ readonly at: string; readonly start: number; readonly drain: readonly (string)[]; readonly workers: number; readonly wanted: number; readonly reason: string; })[]; };

export type OperatedWorkers = { readonly workers: readonly (OperatedWorker)[]; };

export type OperatedWorker = { readonly id: string; readonly endpointId: string; readonly version: number; readonly state: "initializing" | "ready" | "draining" | "unhealthy" | "lost" | "ended"; readonly launcher: "process" | "command" | "server" | "container" | "pod" | "function" | "external"; readonly frozen: boolean; readonly gpus: readonly ({ readonly id: string; readonly typeId: string; readonly simulated: boolean; })[]; readonly gpuMemory?: readonly ({ readonly id: string; readonly usedBytes: number; readonly totalBytes: number; readonly busyPercent?: number; })[]; readonly startedAt: string; readonly pulledAt?: string; readonly bootedAt?: string; readonly readyAt?: string; readonly drainingAt?: string; readonly endedAt?: string; readonly end?: "left" | "not_initialized" | "lost" | "unasked"; readonly exit?: { readonly message: string; readonly exitCode?: number; readonly signal?: string; readonly outOfMemory: boolean; }; readonly pid?: number; readonly container?: string; readonly pod?: string; readonly waitsFor?: string; readonly memory?: { readonly stepMs: number; readonly endsAt: string; readonly bytes: readonly (number)[]; }; readonly jobs: readonly ({ readonly jobId: string; readonly startedAt: string; })[]; readonly past: readonly ({ readonly jobId: string; readonly startedAt: string; readonly endedAt: string; readonly outcome: "running" | "completed" | "failed" | "crashed" | "out_of_memory" | "timed_out" | "lost" | "handed_back" | "undelivered" | "interrupted" | "cancelled" | "damaged" | "expired"; })[]; readonly lines: readonly ({ readonly at: string; readonly level: "debug" | "info" | "warn" | "error"; readonly message: string; readonly jobId?: string; })[]; };

export type OperatedOn = { readonly id: string; readonly frozen: boolean; };

export type LimitReport = { readonly mode: "enforce" | "warn" | "off"; readonly exceeded: readonly ({ readonly endpointId: string; readonly operation: string; readonly count: number; readonly requests: { readonly limit: number; readonly peak: number; }; readonly concurrent?: { readonly limit: number; readonly peak: number; }; readonly firstAt: string; readonly lastAt: string; })[]; };

export type Replicas = { readonly answeredBy: string; readonly replicas: readonly (Replica)[]; readonly unowned: readonly (number)[]; };

export type Replica = { readonly id: string; readonly address?: string; readonly version: string; readonly startedAt: string; readonly leaseEndsAt?: string; readonly clockAheadMs?: number; readonly partitions?: readonly (number)[]; readonly endpoints: number; readonly workers?: number; readonly running?: number; };

export type Alive = { readonly alive: true; };

export type Ready = { readonly ready: true; readonly notes?: readonly (string)[]; };

export type DashboardSession = { readonly dashboard: "on" | "read-only"; };

export type DashboardTicket = { readonly ticket: string; };

/** By operation. */
export interface Answers {
  readonly run: JobState;
  readonly runsync: Job;
  readonly status: Job;
  readonly statusByPost: Job;
  readonly statusSync: Job;
  readonly statusSyncByPost: Job;
  readonly stream: Stream;
  readonly streamByPost: Stream;
  readonly cancel: JobState;
  readonly retry: JobState;
  readonly purgeQueue: Purged;
  readonly health: Health;
  readonly askOpenai: unknown;
  readonly askOpenaiByPut: unknown;
  readonly askOpenaiByPatch: unknown;
  readonly readOpenai: unknown;
  readonly readOpenaiByDelete: unknown;
  readonly requests: Requests;
  readonly createTemplate: Template;
  readonly listTemplates: readonly (Template)[];
  readonly readTemplate: Template;
  readonly updateTemplate: Template;
  readonly updateTemplateByPut: Template;
  readonly updateTemplateByPost: Template;
  readonly createRegistryAuth: ContainerRegistryAuth;
  readonly listRegistryAuths: readonly (ContainerRegistryAuth)[];
  readonly readRegistryAuth: ContainerRegistryAuth;
  readonly createEndpoint: Endpoint;
  readonly listEndpoints: readonly (Endpoint)[];
  readonly readEndpoint: Endpoint;
  readonly updateEndpoint: Endpoint;
  readonly updateEndpointByPut: Endpoint;
  readonly updateEndpointByPost: Endpoint;
  readonly createNetworkVolume: NetworkVolume;
  readonly listNetworkVolumes: readonly (NetworkVolume)[];
  readonly readNetworkVolume: NetworkVolume;
  readonly updateNetworkVolume: NetworkVolume;
  readonly updateNetworkVolumeByPut: NetworkVolume;
  readonly updateNetworkVolumeByPost: NetworkVolume;
  readonly createPod: Pod;
  readonly listPods: readonly (Pod | Worker)[];
  readonly readPod: Pod;
  readonly updatePod: Pod;
  readonly updatePodByPut: Pod;
  readonly updatePodByPost: Pod;
  readonly startPod: Pod;
  readonly stopPod: Pod;
  readonly restartPod: Pod;
  readonly resetPod: Pod;
  readonly billPods: readonly (BillingRecord)[];
  readonly billEndpoints: readonly (BillingRecord)[];
  readonly billNetworkVolumes: readonly (NetworkVolumeBillingRecord)[];
  readonly listDeliveries: Deliveries;
  readonly readWebhookSecret: WebhookSecret;
  readonly readDelivery: DeliveryWithRequest;
  readonly redeliver: Delivery;
  readonly readDocument: { readonly openapi: string; };
  readonly readClock: Clock;
  readonly advanceClock: AdvancedClock;
  readonly holdDeletions: HeldClock;
  readonly createKey: MadeApiKey;
  readonly listKeys: ApiKeys;
  readonly readAudit: Audit;
  readonly readOrigins: Origins;
  readonly listJobs: JobSummaries;
  readonly listDeletedJobs: DeletedJobs;
  readonly readJob: JobDetails;
  readonly readChunks: Chunks;
  readonly cancelMatching: ChangedJobs;
  readonly retryMatching: ChangedJobs;
  readonly observeEndpoints: EndpointOverviews;
  readonly readSeries: EndpointSeries;
  readonly readDecisions: ScalerDecisions;
  readonly listWorkers: OperatedWorkers;
  readonly freezeWorker: OperatedOn;
  readonly readLimits: LimitReport;
  readonly listReplicas: Replicas;
  readonly isAlive: Alive;
  readonly isReady: Ready;
  readonly beginSession: DashboardSession;
  readonly readSession: DashboardSession;
  readonly issueTicket: DashboardTicket;
}
