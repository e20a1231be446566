/** Opens the tracer where one is wanted; what sends traces takes long to load, so it is loaded only then. */
import { wantsTraces } from "./otlp-settings.ts";
import type { TraceLog } from "./reporting-exporter.ts";
import type { Tracer } from "./tracer.ts";

/** @param wanted by default if OpenTelemetry's variables name a collector */
export async function openTracer(
  wanted: boolean | undefined,
  log: TraceLog,
): Promise<Tracer | undefined> {
  if (!(wanted ?? wantsTraces(process.env))) return undefined;
  const { createOtlpTracer } = await import("./otlp-tracer.ts");
  return createOtlpTracer(log);
}
