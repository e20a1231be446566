/** Ports: publishes events, and reads published events. */
import type { Tell } from "../../core/observe/fact.ts";
import type { ServiceMetrics } from "../../core/observe/metrics/service-metrics.ts";
import type { ServiceSeries } from "../../core/observe/series/service-series.ts";
import type { Tracer } from "../../trace/tracer.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { WorkerHistory } from "../workers/worker-history.ts";
import type { EngineLog } from "./engine-log.ts";
import type { EventFeed } from "./event-feed.ts";
import type { JobSpans } from "./job-spans.ts";
import type { LogFeed } from "./log-feed.ts";
import type { ToldVersions } from "./told-versions.ts";

export interface TellPort {
  readonly log: EngineLog;
  /** Versions of endpoints whose handler was told that it returns what only workers of the live dialect read. */
  readonly hinted: ToldVersions;
  /** Publishes the events. Call it after the commit. */
  readonly tell: Tell;
}

export interface HistoryPort {
  readonly events: EventFeed;
  /** The newest lines of the log. */
  readonly logs: LogFeed;
  readonly metrics: ServiceMetrics;
  /** Numbers of each endpoint in the last hour. */
  readonly series: ServiceSeries;
  readonly decisions: DecisionLog;
  /** The history of workers, including workers that have ended. */
  readonly workerHistory: WorkerHistory;
  /** Undefined if no traces are collected. */
  readonly tracer: Tracer | undefined;
  readonly spans: JobSpans | undefined;
}
