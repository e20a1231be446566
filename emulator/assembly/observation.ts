/** Makes the log feed, the metrics, the tracer and the readiness of the service. */
import { system } from "../../runtime/system/system.ts";
import { ServiceMetrics } from "../core/observe/metrics/service-metrics.ts";
import { Defects } from "../engine/observe/defects.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import { Readiness } from "../engine/steps/readiness.ts";
import { LogFeed } from "../engine/observe/log-feed.ts";
import type { EmulatorOptions, WorkerLine } from "../options.ts";
import { openTracer } from "../trace/open-tracer.ts";
import type { Tracer } from "../trace/tracer.ts";

export interface Observation {
  /** The log of the engine, which also writes to the log of the options. */
  readonly log: EngineLog;
  readonly logs: LogFeed;
  readonly metrics: ServiceMetrics;
  readonly readiness: Readiness;
  readonly tracer: Tracer | undefined;
  /** Also passes each line on to the option of that name. */
  readonly workerLine: (line: WorkerLine) => void;
}

export async function openObservation({
  log,
  workerLine,
  traces,
}: EmulatorOptions): Promise<Observation> {
  const logs: LogFeed = new LogFeed(Date.now, (error) => followerFailed(error));
  const both = logs.alongside(log);
  const followerFailed = new Defects(both).of("a follower of the log failed");
  for (const sentence of system().untold()) both.info({}, sentence);
  return {
    log: both,
    logs,
    metrics: new ServiceMetrics(),
    readiness: new Readiness(),
    tracer: await openTracer(traces, both),
    workerLine(line) {
      logs.workerLine(line);
      workerLine?.(line);
    },
  };
}
