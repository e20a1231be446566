/** The parts of the engine, of which each use case names those it takes. */
import type { Clock, Random } from "../core/time/clock.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { LeaseTerms } from "../core/jobs/lease-terms.ts";
import type { ServiceMetrics } from "../core/observe/metrics/service-metrics.ts";
import type { PodPorts } from "../launch/pod-launcher.ts";
import type { SecretKey } from "../secrets/secret-key.ts";
import type { PayloadDamagedError, Store } from "../store/store.ts";
import type { Tracer } from "../trace/tracer.ts";
import type { PendingWork } from "./time/pending-work.ts";
import type { EngineLog } from "./observe/engine-log.ts";
import type { DueTimer } from "./time/due-timer.ts";
import type { Balancer } from "./balancing/balancer.ts";
import type { BytesInFlight } from "./limits/bytes-in-flight.ts";
import type { EndpointDirectory } from "./resources/endpoint-directory.ts";
import type { EventFeed } from "./observe/event-feed.ts";
import type { Fleet } from "./workers/fleet.ts";
import type { JobWatchers } from "./jobs/read/job-watchers.ts";
import type { LogFeed } from "./observe/log-feed.ts";
import type { NetworkVolumeDirectory, VolumeFiles } from "./resources/network-volume-directory.ts";
import type { PriceTable } from "../core/billing/prices.ts";
import type { ServiceClock } from "./time/service-clock.ts";
import type { JobSpans } from "./observe/job-spans.ts";
import type { StallDetector } from "./workers/stall-detector.ts";
import type { Steps } from "./steps.ts";
import type { WorkerTokens } from "./workers/worker-tokens.ts";
import type { UsageMeter } from "./billing/usage-meter.ts";
import type { WorkerMover } from "./workers/move-worker.ts";

/** Some of the parts: what a use case takes. */
export type Uses<Part extends keyof EngineContext> = Pick<EngineContext, Part>;

/** A job that cannot be handed to its worker. */
export interface InputDamage {
  readonly jobId: string;
  readonly damage: PayloadDamagedError;
}

export interface EngineContext {
  /** What is kept: read, and changed step by step. */
  readonly steps: Steps;
  /** What is kept, for those who read or look after it in other ways than `steps` has. */
  readonly store: Store;
  /** Service time: what all due moments are measured in, unless it concerns what runs elsewhere. */
  readonly clock: ServiceClock;
  /** Time that nobody advances, for what workers and processes do in it: it has another zero, so never mix the two. */
  readonly realClock: Clock;
  readonly random: Random;
  /** What stored secrets are encrypted with. */
  readonly secretKey: SecretKey;
  readonly log: EngineLog;
  readonly lease: LeaseTerms;
  /** Whether silence can be judged, or the service itself was deaf. */
  readonly stallDetector: StallDetector;
  /** What runs, for the bills. */
  readonly usage: UsageMeter;
  /** What things cost. */
  readonly prices: PriceTable;
  /** The workers, their sessions and their credit. */
  readonly fleet: Fleet;
  /** Moves workers by the table of their states. */
  readonly mover: WorkerMover;
  /** By which tokens workers are known. */
  readonly tokens: WorkerTokens;
  /** Requests to load balancing endpoints: those in flight, and those that wait for a worker. */
  readonly balancer: Balancer;
  /** Room for large payloads on their way in and out. */
  readonly inFlight: BytesInFlight;
  /** Those who wait for a job to end or to stream. */
  readonly watchers: JobWatchers;
  /** Tells who follows the service of every change of state. */
  readonly events: EventFeed;
  /** The newest lines of the log. */
  readonly logs: LogFeed;
  /** What the service counts of its work, for who monitors it. */
  readonly metrics: ServiceMetrics;
  /** Tells where time went; undefined where nobody collects that. */
  readonly tracer: Tracer | undefined;
  /** The spans of jobs; undefined without a tracer. */
  readonly spans: JobSpans | undefined;
  /** What time has set off and is not done yet; every part that the clock drives tracks its work here. */
  readonly pendingWork: PendingWork;
  /** The one timer that aims at the next due moment of any job. */
  readonly dueTimer: DueTimer;
  /** Endpoints and templates as committed, for quick look-up. */
  readonly directory: EndpointDirectory;
  /** Network volumes as committed, for quick look-up. */
  readonly volumes: NetworkVolumeDirectory;
  readonly volumeFiles: VolumeFiles;
  /** Called with an endpoint whose queue or workers changed, after the commit. */
  readonly endpointChanged: (endpointId: string) => void;
  /** Where pods that run are reached, by their ids. */
  readonly podPorts: Map<string, PodPorts>;
  /** Called with a job that cannot be handed to its worker. */
  readonly inputDamaged: (damage: InputDamage) => void;
  /** The most memory that a pod has when it runs, in whole GiB; undefined where it cannot be said. */
  readonly podMemoryInGb: (pod: Pod) => number | undefined;
  /** Called with a pod that was made, changed or deleted, after the commit. */
  readonly podChanged: (podId: string) => void;
  /** Called when a webhook call became due, after the commit. */
  readonly webhookDue: () => void;
  /** Called with an endpoint that is no more, once nothing of it is stored. */
  readonly endpointDeleted: (endpointId: string) => void;
}
