/** The parts of the engine. Each use case names those that it takes. */
import type { Clock, Random } from "../../core/time/clock.ts";
import type { GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type { ServiceSeries } from "../../core/observe/series/service-series.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { ServiceMetrics } from "../../core/observe/metrics/service-metrics.ts";
import type { SecretKey } from "../../secrets/secret-key.ts";
import type { Store } from "../../store/store.ts";
import type { PayloadDamagedError } from "../../store/payload.ts";
import type { Tracer } from "../../trace/tracer.ts";
import type { PendingWork } from "../time/pending-work.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import type { DueTimer } from "../time/due-timer.ts";
import type { Balancer } from "../balancing/balancer.ts";
import type { BytesInFlight } from "../limits/bytes-in-flight.ts";
import type { Directory } from "../resources/directory.ts";
import type { DecisionLog } from "../workers/scaling/decision-log.ts";
import type { EventFeed } from "../observe/event-feed.ts";
import type { Fleet } from "../workers/fleet.ts";
import type { JobWatchers } from "../jobs/read/job-watchers.ts";
import type { PodRun } from "../pods/pod-run.ts";
import type { Readiness } from "../observe/readiness.ts";
import type { LogFeed } from "../observe/log-feed.ts";
import type { HandlerSchemaBook } from "../resources/endpoints/handler-schemas.ts";
import type { VolumeFiles } from "../resources/volume-files.ts";
import type { PriceTable } from "../../core/billing/prices.ts";
import type { ServiceClock } from "../time/service-clock.ts";
import type { JobSpans } from "../observe/job-spans.ts";
import type { StallDetector } from "../workers/stall-detector.ts";
import type { OwnedParts } from "../steps/state/owned-parts.ts";
import type { Steps } from "../steps/steps.ts";
import type { Turns } from "../../core/turns.ts";
import type { WorkerTokens } from "../workers/worker-tokens.ts";
import type { UsageMeter } from "../billing/usage-meter.ts";
import type { WorkerHistory } from "../workers/worker-history.ts";
import type { Assignment, StoredPayloads } from "../steps/effects.ts";
import type { WorkerMover } from "../workers/move-worker.ts";

/** Some of the parts: what a use case takes. */
export type Uses<Part extends keyof EngineContext> = Pick<EngineContext, Part>;

/** A job that cannot be handed to its worker. */
export interface InputDamage {
  readonly jobId: string;
  readonly damage: PayloadDamagedError;
}

export interface EngineContext {
  /** Runs steps, which change what is kept; and reads it. */
  readonly steps: Steps;
  /** Which endpoints this process decides for, where several share the store. */
  readonly ownership: OwnedParts;
  /** What is kept, for those who read or look after it in other ways than `steps` has. */
  readonly store: Store;
  /** Service time: what all due moments are measured in, unless it concerns what runs elsewhere. */
  readonly clock: ServiceClock;
  /** Real time, which cannot be advanced, for workers, processes and connections. Never compare it with service time. */
  readonly realClock: Clock;
  readonly random: Random;
  /** Encrypts stored secrets. */
  readonly secretKey: SecretKey;
  readonly log: EngineLog;
  readonly lease: LeaseTerms;
  /** Tells silent workers from a service that was stalled. */
  readonly stallDetector: StallDetector;
  /** Records what runs, for the bills. */
  readonly usage: UsageMeter;
  /** Prices for the bills. */
  readonly prices: PriceTable;
  /** The workers, their sessions and their credit. */
  readonly fleet: Fleet;
  /** Applies events to workers, by the table of their phases. */
  readonly mover: WorkerMover;
  /** The tokens of workers. */
  readonly tokens: WorkerTokens;
  /** Requests to load balancing endpoints: in flight, or waiting for a worker. */
  readonly balancer: Balancer;
  /** Bounds the memory of large payloads on their way in and out. */
  readonly inFlight: BytesInFlight;
  /** Bytes of inputs on their way to workers. */
  readonly sending: BytesInFlight;
  /** Bytes of large reports of workers, from their arrival until they are stored. */
  readonly receiving: BytesInFlight;
  /** Changes of webhook deliveries, one after another. */
  readonly deliveries: Turns;
  /** Those who wait for a job to end or to stream. */
  readonly watchers: JobWatchers;
  /** Publishes every change of state. */
  readonly events: EventFeed;
  /** The newest lines of the log. */
  readonly logs: LogFeed;
  /** Counters and histograms of the service. */
  readonly metrics: ServiceMetrics;
  /** What happened to each endpoint in the last hour. */
  readonly series: ServiceSeries;
  /** What the scaler decided. */
  readonly decisions: DecisionLog;
  /** What workers did, those that have ended among them. */
  readonly workerHistory: WorkerHistory;
  /** Whether the service can do what it is asked for. */
  readonly readiness: Readiness;
  /** Undefined where no traces are collected. */
  readonly tracer: Tracer | undefined;
  /** The spans of jobs; undefined without a tracer. */
  readonly spans: JobSpans | undefined;
  /** The work that timers have started and that is not done yet; every part with a timer tracks its work here. */
  readonly pendingWork: PendingWork;
  /** The timer for the next due moment of any job. */
  readonly dueTimer: DueTimer;
  /** Endpoints, templates and network volumes as they are in the store. */
  readonly directory: Directory;
  /** What handlers take and give, as their workers told it. */
  readonly schemas: HandlerSchemaBook;
  readonly volumeFiles: VolumeFiles;
  /** Called with an endpoint whose queue or workers changed, after the commit. */
  readonly endpointChanged: (endpointId: string) => void;
  /** The runs that pods are in, by pod id. */
  readonly podRuns: Map<string, PodRun>;
  /** Reads what a worker gets of the job; undefined if the job is no longer stored. Rejects when it cannot be read. */
  readonly jobPayloads: (job: Job) => Promise<StoredPayloads | undefined>;
  /** Called with a job that cannot be handed to its worker. */
  readonly inputDamaged: (damage: InputDamage) => void;
  readonly notSent: (assignment: Assignment) => void;
  /** The memory limit of a running pod, in whole GiB; undefined where it is not known. */
  readonly podMemoryInGb: (pod: Pod) => number | undefined;
  /** How much of this machine's GPUs is used now; empty where nobody can tell. Never rejects. */
  readonly gpuUse: () => Promise<readonly GpuUse[]>;
  /** The GPUs of this machine, asked for again while none is known. Never rejects. */
  readonly findGpus: () => Promise<GpuInventory>;
  /** Called with a pod that was made, changed or deleted, after the commit. */
  readonly podChanged: (podId: string) => void;
  /** Called when a webhook call became due, after the commit. */
  readonly webhookDue: () => void;
  /** Called with a deleted endpoint, once nothing of it is stored. */
  readonly endpointDeleted: (endpointId: string) => void;
}
