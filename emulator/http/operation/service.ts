/** What all operations of the HTTP interface share, and the clients that are waiting for an answer. */
import type { IncomingMessage } from "node:http";
import type { DashboardMode } from "../../core/access/dashboard-mode.ts";
import type { KeyRing } from "../../core/access/key-ring.ts";
import { AuditLog } from "../../engine/access/audit-log.ts";
import type { StepPort } from "../../engine/steps/step-port.ts";
import type { TimePort } from "../../engine/time/time-port.ts";
import type { WorkerPort } from "../../engine/workers/worker-port.ts";
import type { TellPort } from "../../engine/observe/tell-port.ts";
import type { HistoryPort } from "../../engine/observe/tell-port.ts";
import type { CatalogPort } from "../../engine/resources/catalog-port.ts";
import type { SecretPort } from "../../engine/resources/secret-box.ts";
import type { LimitPort } from "../../engine/limits/bytes-in-flight.ts";
import type { PodPort } from "../../engine/pods/pod-run.ts";
import type { WakePort } from "../../engine/steps/wake-port.ts";
import type { EngineLog } from "../../engine/observe/engine-log.ts";
import type { LiveWorkers } from "../../live/live-workers.ts";
import type { Ownership } from "../../store/ownership.ts";
import type { CallerCheck } from "./access/caller-check.ts";
import type { WorkerListener } from "./access/worker-listener.ts";
import { DashboardAccess } from "./access/dashboard-access.ts";
import { forwardedRequestOf } from "./forwarded-request.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";

/** All ports that operations need. Each operation passes its use case only the ports which that takes. */
export type HttpEngine = StepPort &
  TimePort &
  WorkerPort &
  TellPort &
  HistoryPort &
  CatalogPort &
  SecretPort &
  LimitPort &
  PodPort &
  WakePort;

export interface HttpServiceOptions {
  readonly engine: HttpEngine;
  /** Checks hosts and origins. */
  readonly callers: CallerCheck;
  /** The valid API keys. */
  readonly keys: KeyRing;
  /** Default: no dashboard. */
  readonly dashboard?: DashboardMode;
  /** The secret that signs webhook calls. */
  readonly webhookSecret: string;
  readonly log: EngineLog;
  /** Absent: no rate limits. */
  readonly limits?: RateLimiter | undefined;
  /** Absent: no live workers. */
  readonly liveWorkers?: LiveWorkers | undefined;
  /** Absent: no port for workers from elsewhere. */
  readonly workerListener?: WorkerListener | undefined;
  /** Absent: no other replica shares the store. */
  readonly ownership?: Ownership | undefined;
}

interface Wait {
  abort(reason: Error): void;
}

export class HttpService {
  readonly engine: HttpEngine;
  readonly callers: CallerCheck;
  readonly keys: KeyRing;
  readonly audit: AuditLog;
  /** Access to the dashboard. */
  readonly dashboard: DashboardAccess;
  readonly webhookSecret: string;
  readonly log: EngineLog;
  readonly limits: RateLimiter | undefined;
  readonly liveWorkers: LiveWorkers | undefined;
  readonly workerListener: WorkerListener | undefined;
  readonly ownership: Ownership | undefined;
  /** Real time, ms. */
  readonly startedAt: number;
  readonly #waits = { stop: new Set<Wait>(), end: new Set<Wait>() };
  /** True once the service refuses new requests. */
  stopping = false;
  #hasEnded = false;

  constructor(options: HttpServiceOptions) {
    this.engine = options.engine;
    this.callers = options.callers;
    this.keys = options.keys;
    this.audit = new AuditLog(options.engine);
    const { realClock: clock, random } = options.engine;
    this.startedAt = clock.now();
    this.dashboard = new DashboardAccess({ mode: options.dashboard ?? "off", clock, random });
    this.webhookSecret = options.webhookSecret;
    this.log = options.log;
    this.limits = options.limits;
    this.liveWorkers = options.liveWorkers;
    this.workerListener = options.workerListener;
    this.ownership = options.ownership;
  }

  /**
   * Whether the service refuses this request because it is stopping. Requests from other replicas are answered until its work
   * has ended.
   */
  isStoppingFor(request: IncomingMessage): boolean {
    return this.stopping && forwardedRequestOf(request)?.from === undefined;
  }

  /** Refuses new requests and wakes all waiting clients, which get the present state. */
  beginStop(): void {
    this.stopping = true;
    for (const wait of this.#waits.stop) wait.abort(STOPPING);
    this.limits?.stop();
  }

  /** Ends streams to other replicas. Call it when the service's work has ended. */
  endStop(): void {
    this.#hasEnded = true;
    for (const wait of this.#waits.end) wait.abort(STOPPING);
  }

  /** Aborts `wait` when the service begins to stop ("stop") or has ended its work ("end"). The returned function cancels this. */
  wakeAtStop(wait: Wait, at: "stop" | "end" = "stop"): () => void {
    if (at === "stop" ? this.stopping : this.#hasEnded) wait.abort(STOPPING);
    this.#waits[at].add(wait);
    return () => this.#waits[at].delete(wait);
  }
}

/** The reason of an aborted wait. */
export const STOPPING = new Error("the service is stopping");
