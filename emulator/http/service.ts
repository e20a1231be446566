/** What every operation of the HTTP interface works with, and who of its clients is still waiting. */
import type { KeyRing } from "../core/access/key-ring.ts";
import type { Uses } from "../engine/context.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { LiveWorkers } from "../live/live-workers.ts";
import type { CallerCheck } from "./access/caller-check.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";

type OfJobs = Uses<
  "clock" | "directory" | "fleet" | "lease" | "log" | "random" | "steps" | "watchers"
>;
type OfResources = Uses<
  | "endpointChanged"
  | "endpointDeleted"
  | "events"
  | "prices"
  | "secretKey"
  | "store"
  | "usage"
  | "volumeFiles"
  | "volumes"
>;
type OfPods = Uses<"podMemoryInGb" | "podPorts">;
type OfOperators = Uses<"logs" | "metrics" | "pendingWork" | "tracer">;
type OfAnswers = Uses<"balancer" | "inFlight" | "realClock">;

/** What all operations together take of the engine: each hands its use case no more than that takes. */
export type HttpEngine = OfJobs & OfResources & OfPods & OfOperators & OfAnswers;

export interface HttpServiceOptions {
  readonly engine: HttpEngine;
  /** Who may call at all. */
  readonly callers: CallerCheck;
  /** The keys that open the interface. */
  readonly keys: KeyRing;
  /** What webhook calls are signed with. */
  readonly webhookSecret: string;
  readonly log: EngineLog;
  /** Absent: any number of requests is taken. */
  readonly limits?: RateLimiter | undefined;
  /** Absent: no worker speaks the live dialect. */
  readonly liveWorkers?: LiveWorkers | undefined;
}

export class HttpService {
  readonly engine: HttpEngine;
  readonly callers: CallerCheck;
  readonly keys: KeyRing;
  readonly webhookSecret: string;
  readonly log: EngineLog;
  readonly limits: RateLimiter | undefined;
  readonly liveWorkers: LiveWorkers | undefined;
  readonly #waits = new Set<AbortController>();
  #stopping = false;

  constructor(options: HttpServiceOptions) {
    this.engine = options.engine;
    this.callers = options.callers;
    this.keys = options.keys;
    this.webhookSecret = options.webhookSecret;
    this.log = options.log;
    this.limits = options.limits;
    this.liveWorkers = options.liveWorkers;
  }

  /** True once the service takes no more requests. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Refuses further requests and wakes everybody who waits, so that they are answered with what is known now. */
  beginStop(): void {
    this.#stopping = true;
    for (const wait of this.#waits) wait.abort(STOPPING);
    this.#waits.clear();
    this.limits?.stop();
  }

  /** Has `wait` aborted when the service stops; undone by the returned function. */
  wakeAtStop(wait: AbortController): () => void {
    if (this.#stopping) wait.abort(STOPPING);
    this.#waits.add(wait);
    return () => this.#waits.delete(wait);
  }
}

const STOPPING = new Error("the service is stopping");
