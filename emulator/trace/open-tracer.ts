/** Opens a tracer if traces are collected. Its library is loaded only then, because loading is slow. */
import type { TraceLog } from "./reporting-exporter.ts";
import type { Tracer } from "./tracer.ts";

/** @param wanted default: whether OpenTelemetry's variables name a collector */
export async function openTracer(
  wanted: boolean | undefined,
  log: TraceLog,
): Promise<Tracer | undefined> {
  if (!(wanted ?? wantsTraces(process.env))) return undefined;
  const { createOtlpTracer } = await import("./otlp-tracer.ts");
  return createOtlpTracer(log);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** True if the variables name an OTLP endpoint and switch off neither the SDK nor its traces. */
export function wantsTraces(env: Environment): boolean {
  const isSet = (name: string) => (env[name] ?? "").trim() !== "";
  const says = (name: string, value: string) => env[name]?.trim().toLowerCase() === value;
  if (says("OTEL_SDK_DISABLED", "true") || says("OTEL_TRACES_EXPORTER", "none")) return false;
  return isSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") || isSet("OTEL_EXPORTER_OTLP_ENDPOINT");
}
