/** Whether traces are wanted, by the variables that OpenTelemetry has for it. */

type Environment = Readonly<Record<string, string | undefined>>;

/** True when an OTLP endpoint is named and neither the SDK nor its traces are switched off. */
export function wantsTraces(env: Environment): boolean {
  const isSet = (name: string) => (env[name] ?? "").trim() !== "";
  const says = (name: string, value: string) => env[name]?.trim().toLowerCase() === value;
  if (says("OTEL_SDK_DISABLED", "true") || says("OTEL_TRACES_EXPORTER", "none")) return false;
  return isSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") || isSet("OTEL_EXPORTER_OTLP_ENDPOINT");
}
