/** The switches of traces, by OpenTelemetry's variables. */
import { expect, test } from "vitest";
import { wantsTraces } from "../../../emulator/trace/open-tracer.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

test.each([
  [{}, false],
  [endpoint, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: "true" }, false],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: "none" }, false],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: "otlp" }, true],
])("with %j traces are sent: %s", (env, wanted) => {
  expect(wantsTraces(env)).toBe(wanted);
});
